"""Families torch_double_buffer and torch_streams: the other tutorials' programs, as one writes them in PyTorch."""

import torch
from rows import Axis, Family, Point, WrongResult


class Products:
    """Matrices of dim x dim in float32: inputs in pinned memory, weights and one output each on the device."""

    on_host = False

    def __init__(self, dim: int, count: int):
        if torch.get_float32_matmul_precision() != "highest":
            raise RuntimeError("products are compared in full float32: leave the matmul precision at 'highest'")
        generator = torch.Generator().manual_seed(1)
        self.host = [torch.empty(dim, dim).uniform_(-1, 1, generator=generator).pin_memory() for _ in range(count)]
        self.weights = torch.empty(dim, dim).uniform_(-1, 1, generator=generator).cuda()
        self.outputs = [torch.empty(dim, dim, device="cuda") for _ in range(count)]
        self.probe = torch.rand(
            dim, dtype=torch.float64, device="cuda", generator=torch.Generator("cuda").manual_seed(2)
        )
        # Freivalds: (A B) r = A (B r), in double precision, without a second product.
        self.expected = [a.cuda().double() @ (self.weights.double() @ self.probe) for a in self.host]
        self.allowed = 1e-5 * dim

    def poison(self) -> None:
        for output in self.outputs:
            output.fill_(float("nan"))

    def verify(self) -> None:
        for i, (output, expected) in enumerate(zip(self.outputs, self.expected)):
            error = float((output.double() @ self.probe - expected).abs().max())
            if not error <= self.allowed:
                raise WrongResult(
                    f"product {i} is off by {error:.3g} in a weighted row sum, allowed are {self.allowed:.3g}"
                )


class DoubleBuffer(Products):
    """Batches copied in and multiplied by resident weights, through a few device buffers."""

    def __init__(self, point: Point):
        self.dim, self.batches, self.buffers = int(point["dim"]), int(point["batches"]), int(point["buffers"])
        if self.buffers > self.batches:
            raise ValueError(f"buffers:{self.buffers} is above batches:{self.batches}: a buffer would stay empty")
        super().__init__(self.dim, self.batches)
        self.sync = point["sync"]
        self.bytes = 4 * self.dim * self.dim * self.batches
        self.inputs = [torch.empty(self.dim, self.dim, device="cuda") for _ in range(self.buffers)]
        self.compute = torch.cuda.Stream()
        self.full = [torch.cuda.Event() for _ in range(self.buffers)]
        self.free = [torch.cuda.Event() for _ in range(self.buffers)]

    def submit(self) -> None:
        copies = torch.cuda.current_stream()
        compute = copies if self.sync == "serial" else self.compute
        compute.wait_stream(copies)
        for i, host in enumerate(self.host):
            buffer = i % self.buffers
            if self.sync == "per_buffer" and i >= self.buffers:
                copies.wait_event(self.free[buffer])  # its last reader is done
            if self.sync == "whole_stream":
                copies.wait_stream(compute)  # so is all that was enqueued
            self.inputs[buffer].copy_(host, non_blocking=True)
            if compute is not copies:
                self.full[buffer].record(copies)
                compute.wait_event(self.full[buffer])
            with torch.cuda.stream(compute):
                torch.mm(self.inputs[buffer], self.weights, out=self.outputs[i])
            if self.sync == "per_buffer":
                self.free[buffer].record(compute)
        copies.wait_stream(compute)

    def counters(self, p50_us: float) -> dict[str, float]:
        return {"gflop_per_s": 2 * self.dim**3 * self.batches / p50_us * 1e-3}


class Streams(Products):
    """Two independent products, on one stream or on two."""

    bytes = 0

    def __init__(self, point: Point):
        self.dim = int(point["dim"])
        super().__init__(self.dim, 2)
        self.inputs = [host.cuda() for host in self.host]
        self.second = torch.cuda.Stream() if point["streams"] == "2" else None
        if point["submit"] == "graph":
            with torch.cuda.stream(torch.cuda.Stream()):
                self.enqueue()  # the library's workspaces
            torch.cuda.synchronize()
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.enqueue()
            self.submit = self.graph.replay

    def submit(self) -> None:
        self.enqueue()

    def enqueue(self) -> None:
        first = torch.cuda.current_stream()
        second = self.second or first
        second.wait_stream(first)
        torch.mm(self.inputs[0], self.weights, out=self.outputs[0])
        with torch.cuda.stream(second):
            torch.mm(self.inputs[1], self.weights, out=self.outputs[1])
        first.wait_stream(second)

    def counters(self, p50_us: float) -> dict[str, float]:
        return {"gflop_per_s": 4 * self.dim**3 / p50_us * 1e-3}


DOUBLE_BUFFER = Family(
    name="torch_double_buffer",
    summary="batches of dim x dim floats copied in and multiplied by resident weights",
    axes=[
        Axis(
            "sync",
            "what the next copy waits for. serial: one stream; whole_stream: all that was enqueued; per_buffer: the "
            "last reader of its buffer, by a torch.cuda.Event",
            "serial,whole_stream,per_buffer",
            ("serial", "whole_stream", "per_buffer"),
        ),
        Axis("buffers", "device buffers that batches go through in turn", "2"),
        Axis("dim", "rows and columns", "4096"),
        Axis("batches", "products", "10"),
    ],
    make=DoubleBuffer,
    needs_cuda=True,
)

STREAMS = Family(
    name="torch_streams",
    summary="two independent products of dim x dim",
    axes=[
        Axis("streams", "that they are enqueued on", "1,2", ("1", "2")),
        Axis(
            "submit",
            "launch: from Python; graph: captured in a torch.cuda.CUDAGraph",
            "launch,graph",
            ("launch", "graph"),
        ),
        Axis("dim", "rows and columns", "256,1024,5000"),
    ],
    make=Streams,
    needs_cuda=True,
)
