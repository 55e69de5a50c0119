// torch.ops.overlap.swish: what PyTorch is told of it, whatever the device. operator_backend.cpp does the
// work.
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "checks.hpp"

namespace overlap::torch_operator {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

const auto& swish_operator() {
  static const auto found = c10::Dispatcher::singleton()
                                .findSchemaOrThrow("overlap::swish", "")
                                .typed<at::Tensor(const at::Tensor&)>();
  return found;
}

const auto& swish_backward_operator() {
  static const auto found = c10::Dispatcher::singleton()
                                .findSchemaOrThrow("overlap::swish_backward", "")
                                .typed<at::Tensor(const at::Tensor&, const at::Tensor&)>();
  return found;
}

at::Tensor swish(const at::Tensor& x) { return swish_operator().call(x); }
at::Tensor swish_backward(const at::Tensor& grad, const at::Tensor& x) {
  return swish_backward_operator().call(grad, x);
}

bool wants_gradient(const at::Tensor& x) { return at::GradMode::is_enabled() && x.requires_grad(); }

/// The second derivative is composed from PyTorch's own operators: it is rare, and its speed is nobody's
/// worry.
class SwishBackward : public torch::autograd::Function<SwishBackward> {
 public:
  static constexpr bool is_traceable = true;
  static at::Tensor forward(AutogradContext* context, const at::Tensor& grad, const at::Tensor& x) {
    context->save_for_backward({grad, x});
    const at::AutoDispatchBelowADInplaceOrView below;
    return swish_backward(grad, x);
  }
  static variable_list backward(AutogradContext* context, const variable_list& outer) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &grad = saved[0], &x = saved[1];
    const at::Tensor s = x.sigmoid();
    return {swish_backward(outer[0], x), outer[0] * grad * s * (1 - s) * (2 + x * (1 - 2 * s))};
  }
};

class Swish : public torch::autograd::Function<Swish> {
 public:
  static constexpr bool is_traceable = true;
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x) {
    context->save_for_backward({x});
    const at::AutoDispatchBelowADInplaceOrView below;
    return swish(x);
  }
  static variable_list backward(AutogradContext* context, const variable_list& grad) {
    return {swish_backward(grad[0], context->get_saved_variables()[0])};
  }
};

/// Whether somebody wants derivatives in a way that C++ autograd functions have no part in: forward mode,
/// whose tangents they would drop without a word, or torch.func, which refuses them. PyTorch's own silu,
/// which is the same function, then stands in.
bool beyond_functions(const at::Tensor& x) {
  return x.key_set().has(c10::DispatchKey::FuncTorchGradWrapper) || x._fw_grad(/*level=*/0).defined();
}

// Where no gradient is wanted, calls go on to the next key at once, as those of PyTorch's own operators do.

at::Tensor swish_autograd(c10::DispatchKeySet keys, const at::Tensor& x) {
  if (beyond_functions(x)) {
    require_type("overlap::swish", x);
    return at::silu(x);
  }
  if (wants_gradient(x)) return Swish::apply(x);
  const at::AutoDispatchBelowADInplaceOrView below;
  return swish_operator().redispatch(keys & c10::after_autograd_keyset, x);
}

at::Tensor swish_backward_autograd(c10::DispatchKeySet keys, const at::Tensor& grad, const at::Tensor& x) {
  if (beyond_functions(x) || beyond_functions(grad)) {
    require_like("overlap::swish_backward", grad, x);
    return at::silu_backward(grad, x);
  }
  if (wants_gradient(grad) || wants_gradient(x)) return SwishBackward::apply(grad, x);
  const at::AutoDispatchBelowADInplaceOrView below;
  return swish_backward_operator().redispatch(keys & c10::after_autograd_keyset, grad, x);
}

/// Shapes, strides and types without data: what torch.compile and FakeTensor run.
at::Tensor swish_meta(const at::Tensor& x) {
  require_type("overlap::swish", x);
  return at::empty_like(x);
}

at::Tensor swish_backward_meta(const at::Tensor& grad, const at::Tensor& x) {
  require_like("overlap::swish_backward", grad, x);
  return at::empty_like(x);
}

[[noreturn]] void refuse_device(const char* name, const at::Tensor& x) {
  TORCH_CHECK_TYPE(!x.is_cuda() || x.layout() != at::kStrided, name,
                   ": this build has no CUDA. Install it where nvcc is found, or call it with x.cpu().");
  TORCH_CHECK_TYPE(false, name, " takes dense tensors on cpu and cuda, got ", x.layout(), " on ", x.device(),
                   ": convert it with x.to_dense() or x.cpu().");
}

at::Tensor swish_elsewhere(const at::Tensor& x) { refuse_device("overlap::swish", x); }
at::Tensor swish_backward_elsewhere(const at::Tensor&, const at::Tensor& x) {
  refuse_device("overlap::swish_backward", x);
}

TORCH_LIBRARY(overlap, m) {
  const std::vector<at::Tag> tags = {at::Tag::pt2_compliant_tag, at::Tag::pointwise};
  m.def("swish(Tensor x) -> Tensor", tags);
  m.def("swish_backward(Tensor grad, Tensor x) -> Tensor", tags);
}

TORCH_LIBRARY_IMPL(overlap, Autograd, m) {
  m.impl("swish", swish_autograd);
  m.impl("swish_backward", swish_backward_autograd);
}

TORCH_LIBRARY_IMPL(overlap, Meta, m) {
  m.impl("swish", swish_meta);
  m.impl("swish_backward", swish_backward_meta);
}

TORCH_LIBRARY_IMPL(overlap, CompositeExplicitAutograd, m) {
  m.impl("swish", swish_elsewhere);
  m.impl("swish_backward", swish_backward_elsewhere);
}

}  // namespace
}  // namespace overlap::torch_operator
