// Sums and products of arrays: one loop each, whatever the variant.
#include <functional>

#include "arguments.hpp"
#include "host/runtime.hpp"
#include "overlap/kernels.hpp"
#include "overlap/probes.hpp"

namespace overlap {
namespace {

template <class Op>
void enqueue(Op op, std::span<const float> a, std::span<const float> b, std::span<float> out,
             Stream& stream) {
  stream.impl().enqueue([=] {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = op(a[i], b[i]);
  });
}

template <class Op>
void launch(const char* name, Op op, std::span<const float> a, std::span<const float> b, std::span<float> out,
            Stream& stream) {
  require_same_length(name, {a.size(), b.size(), out.size()});
  if (!out.empty()) enqueue(op, a, b, out, stream);
}

}  // namespace

void launch_add(std::span<const float> a, std::span<const float> b, std::span<float> out, Variant,
                Stream& stream) {
  launch("add", std::plus<float>(), a, b, out, stream);
}

void launch_mul(std::span<const float> a, std::span<const float> b, std::span<float> out, Variant,
                Stream& stream) {
  launch("mul", std::multiplies<float>(), a, b, out, stream);
}

void launch_plain_chain(std::span<const float> a, std::span<const float> b, std::span<const float> d,
                        std::span<const float> f, std::span<float> out, int kernels, Stream& stream) {
  enqueue(std::plus<float>(), a, b, out, stream);
  for (int k = 1; k < kernels; ++k) {
    if (k % 2 == 1)
      enqueue(std::multiplies<float>(), out, d, out, stream);
    else
      enqueue(std::plus<float>(), out, f, out, stream);
  }
}

}  // namespace overlap
