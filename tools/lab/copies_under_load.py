#!/usr/bin/env python3
"""Times copies between host and GPU as nvbandwidth does, with PyTorch, to check `transfer` against.

One direction is timed over 16 copies, held back until all is enqueued; in the rows that say "under" the other one
copies twice as much meanwhile, so that it outlasts the first. Prints the median of four tries, in GB/s.
"""

import statistics
import sys

import torch

BYTES = 512 << 20
COPIES = 16
HOLD_CYCLES = 20_000_000  # ten milliseconds, in which everything is enqueued


def gb_per_s(measured, other) -> float:
    """Of `measured`, while `other` runs beside it, if it is not None. Waits."""
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    first, second = torch.cuda.Stream(), torch.cuda.Stream()
    with torch.cuda.stream(first):
        torch.cuda._sleep(HOLD_CYCLES)
        start.record()
    if other is not None:
        with torch.cuda.stream(second):
            second.wait_event(start)
            for _ in range(2 * COPIES):
                other()
    with torch.cuda.stream(first):
        for _ in range(COPIES):
            measured()
        end.record()
    torch.cuda.synchronize()
    return BYTES * COPIES / start.elapsed_time(end) * 1e-6


def main() -> int:
    if not torch.cuda.is_available():
        print("copies_under_load.py: PyTorch finds no GPU", file=sys.stderr)
        return 3
    host = [torch.empty(BYTES, dtype=torch.uint8, pin_memory=True) for _ in range(2)]
    device = [torch.empty(BYTES, dtype=torch.uint8, device="cuda") for _ in range(2)]

    def h2d():
        device[0].copy_(host[0], non_blocking=True)

    def d2h():
        host[1].copy_(device[1], non_blocking=True)

    for name, measured, other in (
        ("h2d", h2d, None),
        ("d2h", d2h, None),
        ("h2d under d2h", h2d, d2h),
        ("d2h under h2d", d2h, h2d),
    ):
        print(f"{name}: {statistics.median(gb_per_s(measured, other) for _ in range(4)):.2f} GB/s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
