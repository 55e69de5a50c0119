"""torch.ops.overlap.swish against float64, against PyTorch's own silu, and against what PyTorch asks of operators.

The tests marked cuda need a GPU and a build with nvcc, and are skipped elsewhere.
"""

import math

import overlap_torch
import pytest
import torch
from overlap_torch import swish

HAS_GPU = torch.cuda.is_available() and overlap_torch.has_cuda()
needs_cuda = pytest.mark.skipif(not HAS_GPU, reason="needs a GPU and a build with nvcc")
DEVICES = ["cpu", pytest.param("cuda", marks=needs_cuda)]
DTYPES = [torch.float32, torch.float16, torch.bfloat16]

op = torch.ops.overlap.swish.default
backward_op = torch.ops.overlap.swish_backward.default


def reference(x):
    x = x.double()
    return x * torch.sigmoid(x)


def slope(x):
    x = x.double()
    s = torch.sigmoid(x)
    return s * (1 + x * torch.sigmoid(-x))


def assert_rounded(got, want):
    """Within one rounding of float64's answer, give or take what float32 is off by."""
    unit = torch.finfo(got.dtype).eps
    tiny = torch.finfo(got.dtype).smallest_normal * unit
    torch.testing.assert_close(got.double(), want, rtol=0.51 * unit + 2e-6, atol=tiny, equal_nan=True)


def layouts(device, dtype):
    """Name and tensor: contiguous, permuted, sliced, expanded, overlapping, of one element, channels last."""
    make = lambda *size: (4 * torch.randn(*size, device=device)).to(dtype)
    yield "contiguous", make(3, 1000)
    yield "transposed", make(100, 30).t()
    yield "sliced", make(64, 64)[::2, 1::3]
    yield "transposed slice", make(64, 64)[:, 3:40].t()
    yield "odd address", make(1001)[1:]
    yield "expanded", make(5, 1).expand(5, 7)
    yield "overlapping", make(20).as_strided((4, 5), (2, 1))
    yield "scalar", make(1)[0]
    yield "channels last", make(2, 3, 8, 9).to(memory_format=torch.channels_last)
    yield "five dimensions", make(2, 3, 4, 5, 6).permute(4, 0, 3, 1, 2)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("device", DEVICES)
class TestValues:
    def test_every_layout(self, device, dtype):
        for name, x in layouts(device, dtype):
            y = swish(x)
            assert (y.dtype, y.device, y.shape) == (x.dtype, x.device, x.shape), name
            assert y.stride() == torch.empty_like(x).stride(), name
            assert_rounded(y, reference(x))

    def test_gradients_of_every_layout(self, device, dtype):
        for name, x in layouts(device, dtype):
            x = x.detach().requires_grad_()
            dy = torch.randn(x.shape, device=device).to(dtype)
            (dx,) = torch.autograd.grad(swish(x), x, dy)
            assert (dx.dtype, dx.shape) == (x.dtype, x.shape), name
            # Near its zero at -1.28 the slope is a small difference of numbers near 1.
            torch.testing.assert_close(
                dx.double(), dy.double() * slope(x.detach()), rtol=0.51 * torch.finfo(dtype).eps + 2e-6, atol=1e-6
            )

    def test_gradients_of_other_strides(self, device, dtype):
        x = torch.randn(64, 32, device=device).to(dtype).requires_grad_()
        for dy in (
            torch.randn(32, 64, device=device).to(dtype).t(),
            torch.full((1, 1), -1.5, device=device, dtype=dtype).expand(64, 32),
            torch.randn(64, 1, device=device).to(dtype).expand(64, 32),
            torch.randn(1, 32, device=device).to(dtype).expand(64, 32),
        ):
            (dx,) = torch.autograd.grad(swish(x), x, dy)
            torch.testing.assert_close(
                dx.double(), dy.double() * slope(x.detach()), rtol=0.51 * torch.finfo(dtype).eps + 2e-6, atol=1e-6
            )

    def test_gradient_of_a_sum(self, device, dtype):
        # One number for all elements, which no memory holds more than once.
        for n in (1, 5, 100_003):
            x = torch.randn(n, device=device).to(dtype).requires_grad_()
            (swish(x).sum() * -3).backward()
            want = -3 * slope(x.detach())
            torch.testing.assert_close(x.grad.double(), want, rtol=0.51 * torch.finfo(dtype).eps + 2e-6, atol=1e-6)

    def test_sizes_around_vectors_and_threads(self, device, dtype):
        for n in (0, 1, 3, 4, 7, 8, 9, 255, 1025, 32768, 32769, 100_003):
            x = torch.randn(n, device=device).to(dtype)
            assert_rounded(swish(x), reference(x))

    def test_special_values(self, device, dtype):
        x = torch.tensor([0.0, -0.0, math.inf, -math.inf, math.nan, 100, -100, 1e4, -1e4], device=device).to(dtype)
        y = swish(x)
        want = torch.tensor([0.0, -0.0, math.inf, -0.0, math.nan, 100, 0, 1e4, -0.0], device=device).to(dtype)
        torch.testing.assert_close(y[[0, 1, 2, 3, 4, 5, 7, 8]], want[[0, 1, 2, 3, 4, 5, 7, 8]], equal_nan=True)
        assert torch.equal(torch.signbit(y[[0, 1, 3, 8]]), torch.tensor([False, True, True, True], device=device))
        x.requires_grad_()
        (dx,) = torch.autograd.grad(swish(x).sum(), x)
        assert torch.equal(dx[[0, 1, 2, 5, 7]], torch.tensor([0.5, 0.5, 1, 1, 1], device=device).to(dtype))
        assert torch.equal(dx[[3, 8]].abs(), torch.zeros(2, device=device).to(dtype))
        assert dx[4].isnan()

    def test_empty(self, device, dtype):
        for shape in ((0,), (3, 0, 5)):
            x = torch.empty(shape, device=device, dtype=dtype, requires_grad=True)
            y = swish(x)
            y.sum().backward()
            assert y.shape == x.shape and x.grad.shape == x.shape

    def test_compiles(self, device, dtype):
        function = lambda x: swish(x * 2) + 1
        compiled = torch.compile(function, fullgraph=True, backend="inductor" if device == "cuda" else "aot_eager")
        x = torch.randn(1000, device=device).to(dtype).requires_grad_()
        y = compiled(x)
        torch.testing.assert_close(y, function(x))
        (dx,) = torch.autograd.grad(y.sum(), x)
        (want,) = torch.autograd.grad(function(x).sum(), x)
        torch.testing.assert_close(dx, want)


@pytest.mark.parametrize("device", DEVICES)
class TestOperator:
    def test_opcheck(self, device):
        for name, x in layouts(device, torch.float32):
            if name == "overlapping":
                continue  # opcheck copies its arguments, which gives these other strides
            torch.library.opcheck(op, (x,))
            torch.library.opcheck(op, (x.detach().clone().requires_grad_(),))
            torch.library.opcheck(backward_op, (torch.randn_like(x), x))
            torch.library.opcheck(backward_op, (torch.ones((), device=device).expand(x.shape), x))

    def test_gradcheck(self, device):
        # In float32, the widest type it takes: with steps as wide as its rounding needs.
        x = torch.linspace(-6, 6, 41, device=device, requires_grad=True)
        with pytest.warns(UserWarning, match="double precision"):
            assert torch.autograd.gradcheck(swish, x, eps=1e-2, atol=1e-3, rtol=1e-3)
            assert torch.autograd.gradgradcheck(swish, x, eps=1e-2, atol=2e-3, rtol=1e-2)

    def test_second_derivative(self, device):
        x = torch.linspace(-8, 8, 101, device=device, requires_grad=True)
        (first,) = torch.autograd.grad(swish(x).sum(), x, create_graph=True)
        (second,) = torch.autograd.grad(first.sum(), x)
        want = x.detach().double().requires_grad_()
        (first,) = torch.autograd.grad(reference(want).sum(), want, create_graph=True)
        (want,) = torch.autograd.grad(first.sum(), want)
        torch.testing.assert_close(second.double(), want, rtol=1e-5, atol=1e-6)

    def test_transforms(self, device):
        silu = torch.nn.functional.silu
        x = torch.randn(4, 5, device=device)
        sums = lambda f: lambda x: f(x).sum()
        for transform in (
            lambda f: torch.func.grad(sums(f)),
            lambda f: torch.vmap(torch.func.grad(sums(f))),
            lambda f: torch.func.grad(sums(torch.func.grad(sums(f)))),
            lambda f: torch.func.jacrev(f),
            lambda f: torch.func.jacfwd(f),
            lambda f: lambda x: torch.func.jvp(f, (x,), (x + 1,))[1],
            lambda f: torch.vmap(f, in_dims=1, out_dims=1),
            lambda f: torch.vmap(torch.vmap(f)),
        ):
            torch.testing.assert_close(transform(swish)(x), transform(silu)(x), rtol=1e-5, atol=1e-6)
        with pytest.raises(TypeError, match="float32, float16 and bfloat16"):
            torch.func.grad(sums(swish))(x.double())

    @pytest.mark.filterwarnings("error:There is a performance drop")
    def test_batches_of_gradients(self, device):
        x, dy = torch.randn(3, 4, 5, device=device), torch.randn(3, 4, 5, device=device)
        for dims, arguments in (
            ((0, 0), (dy, x)),
            ((1, 2), (dy.movedim(0, 1), x.movedim(0, 2))),
            ((None, 0), (dy[0], x)),
            ((0, None), (dy, x[0])),
        ):
            got = torch.vmap(backward_op, in_dims=dims)(*arguments)
            want = torch.vmap(torch.ops.aten.silu_backward.default, in_dims=dims)(*arguments)
            torch.testing.assert_close(got, want, rtol=1e-5, atol=1e-6)

    def test_forward_mode(self, device):
        x, tangent = torch.randn(100, device=device), torch.randn(100, device=device)
        with torch.autograd.forward_ad.dual_level():
            y = swish(torch.autograd.forward_ad.make_dual(x, tangent))
            got = torch.autograd.forward_ad.unpack_dual(y).tangent
        torch.testing.assert_close(got.double(), tangent.double() * slope(x), rtol=1e-5, atol=1e-6)

    def test_agrees_with_silu(self, device):
        x = torch.randn(10_007, device=device)
        torch.testing.assert_close(swish(x), torch.nn.functional.silu(x), rtol=1e-6, atol=1e-7)

    def test_no_gradient_is_kept_where_none_is_wanted(self, device):
        x = torch.randn(10, device=device, requires_grad=True)
        with torch.no_grad():
            assert not swish(x).requires_grad
        assert not swish(x.detach()).requires_grad
        assert swish(x).requires_grad

    def test_other_types_are_refused(self, device):
        for dtype in (torch.float64, torch.int32, torch.complex64, torch.bool):
            with pytest.raises(TypeError, match="takes float32, float16 and bfloat16 tensors, got"):
                swish(torch.ones(3, device=device, dtype=dtype))
        with pytest.raises(TypeError, match="Sparse"):
            swish(torch.eye(3, device=device).to_sparse())
        with pytest.raises(TypeError, match="its input's type"):
            backward_op(torch.ones(3, device=device).half(), torch.ones(3, device=device))
        with pytest.raises(TypeError, match="its input's shape"):
            backward_op(torch.ones(4, device=device), torch.ones(3, device=device))


def test_shapes_without_data():
    x = torch.empty(1 << 40, device="meta")
    assert swish(x).shape == x.shape
    with pytest.raises(TypeError, match="takes float32"):
        swish(torch.empty(3, device="meta", dtype=torch.float64))


@needs_cuda
class TestCuda:
    def test_runs_on_the_current_stream(self):
        x = torch.randn(1 << 24, device="cuda")
        want = reference(x).float()
        side = torch.cuda.Stream()
        torch.cuda.synchronize()
        with torch.cuda.stream(side):
            torch.cuda._sleep(100_000_000)  # holds the side stream, and nothing else
            y = swish(x)
        done = side.record_event()
        torch.cuda.current_stream().synchronize()
        assert not done.query(), "it ran ahead of its stream, or waited for it"
        done.synchronize()
        torch.testing.assert_close(y, want, rtol=1e-5, atol=1e-6)

    def test_is_captured_in_a_graph(self):
        x = torch.randn(10_007, device="cuda", requires_grad=True)
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            torch.autograd.grad(swish(x).sum(), x)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = swish(x)
            (dx,) = torch.autograd.grad(y.sum(), x)
        with torch.no_grad():
            x.copy_(torch.randn(10_007))
        graph.replay()
        torch.cuda.synchronize()
        assert_rounded(y.detach(), reference(x.detach()))
        torch.testing.assert_close(dx.double(), slope(x.detach()), rtol=1e-5, atol=1e-6)

    def test_more_than_two_to_the_31_elements(self):
        n = (1 << 31) + 517
        if torch.cuda.mem_get_info()[0] < 10 * n:
            pytest.skip("needs 20 GB of device memory")
        x = torch.zeros(n, device="cuda", dtype=torch.bfloat16)
        x[-600:] = torch.randn(600, device="cuda")
        y = swish(x)
        assert_rounded(y[-600:], reference(x[-600:]))
        assert not y[:-600].any()

    def test_devices_may_not_be_mixed(self):
        with pytest.raises(TypeError, match="device"):
            backward_op(torch.ones(3), torch.ones(3, device="cuda"))
