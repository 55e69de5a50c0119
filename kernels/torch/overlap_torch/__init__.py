"""Overlap's kernels as PyTorch operators: torch.ops.overlap.swish, for cpu and, where it was built with nvcc, cuda."""

from pathlib import Path

import torch

from . import _build

__all__ = ["has_cuda", "swish"]


def _load(name: str) -> None:
    try:
        torch.ops.load_library(Path(__file__).parent / name)
    except OSError as error:
        raise ImportError(
            f"overlap_torch was built against PyTorch {_build.TORCH_VERSION} and does not load into "
            f"{torch.__version__}: pip install --force-reinstall --no-deps ./kernels/torch ({error})"
        ) from error


_load("_overlap.so")
if _build.HAS_CUDA:
    _load("_overlap_cuda.so")

# The operator itself, not a function around it: small calls cost what Python does between them.
swish = torch.ops.overlap.swish.default
swish.__doc__ = """swish(x): x * sigmoid(x), elementwise, with gradients to the second order.

Takes float32, float16 and bfloat16 of any shape and strides, on cpu and cuda; computes in float32 and rounds once.
Returns a tensor like x. On cuda it runs on the current stream and does not wait. TypeError for other types and
devices. Under the derivatives of torch.func and in forward mode PyTorch's own silu computes it.
Source: Ramachandran, Zoph, Le 2017, with beta = 1.
"""


@torch.library.register_vmap("overlap::swish")
def _swish_of_batches(info, dims, x):
    return swish(x), dims[0]


@torch.library.register_vmap("overlap::swish_backward")
def _swish_backward_of_batches(info, dims, grad, x):
    first = lambda t, dim: t.expand(info.batch_size, *t.shape) if dim is None else t.movedim(dim, 0)
    return torch.ops.overlap.swish_backward.default(first(grad, dims[0]), first(x, dims[1])), 0


def has_cuda() -> bool:
    """Whether this build can run on cuda tensors."""
    return _build.HAS_CUDA
