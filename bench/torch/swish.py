"""Family torch_swish: the extension, PyTorch's own silu, the formula composed of operators, and that compiled.

Backward is what autograd calls for a gradient, without autograd's own cost: the gradient's operator, or its formula.
"""

import overlap_torch  # registers torch.ops.overlap
import torch
from rows import Axis, Family, Point, WrongResult

DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
CHUNK = 1 << 22  # elements that are verified at once


# The formulas as textbooks write them, an operator for every step: what impl:plain is among the C++ kernels.


def composed_forward(x):
    return x / (1 + torch.exp(-x))


def composed_backward(dy, x):
    s = 1 / (1 + torch.exp(-x))
    return dy * (s + x * s * (1 - s))


def function_of(impl: str, backward: bool):
    if impl == "extension":
        return torch.ops.overlap.swish_backward.default if backward else overlap_torch.swish
    if impl in ("silu", "cpu"):
        return torch.ops.aten.silu_backward.default if backward else torch.nn.functional.silu
    composed = composed_backward if backward else composed_forward
    return torch.compile(composed, fullgraph=True, dynamic=False) if impl == "compiled" else composed


class SwishOperation:
    def __init__(self, point: Point):
        impl, dtype = point["impl"], DTYPES[point["dtype"]]
        n = int(point["n"])
        self.backward = point["pass"] != "forward"
        self.of_sum = point["pass"] == "backward_of_sum"
        self.on_host = impl == "cpu" or not torch.cuda.is_available()
        self.threads = torch.get_num_threads() if impl != "cpu" else 1
        device = "cpu" if self.on_host else "cuda"
        if impl == "extension" and device == "cuda" and not overlap_torch.has_cuda():
            raise RuntimeError("the extension was built without CUDA: install it where nvcc is found")
        generator = torch.Generator(device).manual_seed(1)
        make = lambda low, high: (
            torch.empty(n, device=device, dtype=torch.float32).uniform_(low, high, generator=generator).to(dtype)
        )
        self.x = make(-8, 8)
        dy = torch.full((1,), 0.75, device=device, dtype=dtype).expand(n) if self.of_sum else make(-1, 1)
        self.arguments = (dy, self.x) if self.backward else (self.x,)
        self.bytes = n * self.x.element_size() * (3 if self.backward and not self.of_sum else 2)
        self.function = function_of(impl, self.backward)
        self.out = None
        if point["submit"] == "graph":
            self._capture()

    def _capture(self) -> None:
        if self.on_host:
            raise RuntimeError("graphs need a GPU")
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            self._run()  # whatever it compiles or allocates the first time
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.no_grad(), torch.cuda.graph(graph):
            self._run()
        self.graph = graph
        self.submit = graph.replay

    def _run(self) -> None:
        self.out = None  # so that the allocator hands out the same memory again
        self.out = self.function(*self.arguments)

    def submit(self) -> None:
        self._run()

    def poison(self) -> None:
        if self.out is not None:
            self.out.fill_(float("nan"))

    def verify(self) -> None:
        unit = torch.finfo(self.x.dtype).eps
        for first in range(0, self.x.numel(), CHUNK):
            x = self.x[first : first + CHUNK].double()
            s = torch.sigmoid(x)
            want = x * s
            if self.backward:
                want = self.arguments[0][first : first + CHUNK].double() * s * (1 + x * torch.sigmoid(-x))
            error = (self.out[first : first + CHUNK].double() - want).abs()
            # Composed forms round after every operator, in the type that they are stored in.
            wrong = ~(error <= 8 * unit * (want.abs() + 1))
            if count := int(wrong.sum()):
                at = int(wrong.nonzero()[0, 0])
                got = float(self.out[first + at])
                raise WrongResult(
                    f"{count} wrong elements, the first at {first + at}: {got} instead of {float(want[at])}"
                )

    def counters(self, p50_us: float) -> dict[str, float]:
        return {}


def wanted(point: Point, asked: set[str]) -> bool:
    impl, n, dtype = point["impl"], int(point["n"]), point["dtype"]
    if point["submit"] == "graph" and (impl == "cpu" or not torch.cuda.is_available()):
        return "submit" in asked and impl != "cpu"
    if point["pass"] == "backward_of_sum" and "pass" not in asked:
        return n >= 1 << 20 and impl != "cpu" and dtype == "float32" and point["submit"] == "launch"
    if impl == "cpu" and (dtype != "float32" or n > 1 << 24):
        return "impl" in asked
    if dtype != "float32":  # says the same of every size: half the bytes
        return "dtype" in asked or (impl in ("extension", "silu") and n > 1 << 24 and point["submit"] == "launch")
    return True


FAMILY = Family(
    name="torch_swish",
    summary="x * sigmoid(x) on tensors, and its gradient, by whom and how it is called",
    axes=[
        Axis(
            "pass",
            "forward: y from x; backward: dx from x and dy; backward_of_sum: dx where dy is one number for all, as "
            "y.sum() and y.mean() pass it back",
            "forward,backward,backward_of_sum",
            ("forward", "backward", "backward_of_sum"),
        ),
        Axis(
            "impl",
            "extension: Overlap's kernels as torch.ops.overlap; silu: PyTorch's own; composed: the textbook formula, "
            "an operator a step; compiled: that through torch.compile; cpu: silu on one CPU thread",
            "extension,silu,composed,compiled,cpu",
            ("extension", "silu", "composed", "compiled", "cpu"),
            host_values="extension,silu,composed,cpu",
        ),
        Axis(
            "submit",
            "launch: from Python, call by call; graph: captured in a torch.cuda.CUDAGraph",
            "launch,graph",
            ("launch", "graph"),
        ),
        Axis("n", "elements", "1000,10485760,268435456", host_values="1000,1048576"),
        Axis("dtype", "of the tensors; computed in float32", "float32,float16,bfloat16", tuple(DTYPES)),
    ],
    make=SwishOperation,
    wanted=wanted,
)
