// What the operators accept, in one place, and said in the words of whoever called them.
#pragma once

#include <ATen/ATen.h>

namespace overlap::torch_operator {

/// @throws c10::TypeError
inline void require_type(const char* name, const at::Tensor& x) {
  const at::ScalarType type = x.scalar_type();
  TORCH_CHECK_TYPE(type == at::kFloat || type == at::kHalf || type == at::kBFloat16, name,
                   " takes float32, float16 and bfloat16 tensors, got ", type,
                   ": convert it, for instance with x.float().");
}

/// `grad` must be what a gradient of x is: of its type, device and shape. @throws c10::TypeError
inline void require_like(const char* name, const at::Tensor& grad, const at::Tensor& x) {
  require_type(name, x);
  TORCH_CHECK_TYPE(grad.scalar_type() == x.scalar_type() && grad.device() == x.device(), name,
                   " takes a gradient of its input's type and device, got ", grad.scalar_type(), " on ",
                   grad.device(), " for ", x.scalar_type(), " on ", x.device(), ".");
  TORCH_CHECK_TYPE(grad.sym_sizes() == x.sym_sizes(), name, " takes a gradient of its input's shape, got ",
                   grad.sym_sizes(), " for ", x.sym_sizes(), ".");
}

}  // namespace overlap::torch_operator
