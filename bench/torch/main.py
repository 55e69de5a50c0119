#!/usr/bin/env python3
"""Measures Overlap's kernels as PyTorch operators beside PyTorch's own, and the tutorials' programs in PyTorch.

Rows are Google Benchmark's, as those of overlap-bench are: same names, same counters, same JSON. With a GPU, times are
those of CUDA events, and submit_us is the CPU time of a call, Python and dispatch included; without one, a few rows run
on the CPU.
"""

import argparse
import gc
import json
import os
import platform
import subprocess
import sys
import time

import google_benchmark as benchmark
import products
import swish
import torch
from measure import Measurement, Sample, Settings, measure
from rows import Row, UsageError, plan_rows

FAMILIES = [swish.FAMILY, products.DOUBLE_BUFFER, products.STREAMS]
STAYS_WARM_S = 0.1  # a GPU that was busy so recently needs only a quarter of the warm-up; as in row_runner.cpp
WARM_SHARE = 0.25
EXAMPLES = """examples:
  main.py --benchmark_out=torch.json && overlap-report table run.json torch.json
  main.py --benchmark_filter='impl:(extension|silu)' --sweep=n=1000,2^20
Other --benchmark_... flags go to Google Benchmark: filter, out, repetitions, list_tests, format.
Exit codes: 0 all rows good, 1 a row failed or none ran, 2 usage."""


def take_on_device(submit, operations: int) -> Sample:
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    submitting = time.perf_counter()
    for _ in range(operations):
        submit()
    submit_seconds = time.perf_counter() - submitting
    stop.record()
    stop.synchronize()
    return Sample(start.elapsed_time(stop) * 1e-3, submit_seconds)


def take_on_host(submit, operations: int) -> Sample:
    start = time.perf_counter()
    for _ in range(operations):
        submit()
    seconds = time.perf_counter() - start
    return Sample(seconds, seconds)


class Runner:
    """Makes each row when its turn comes, checks its first and last results, and reports it."""

    def __init__(self, settings: Settings):
        self.settings = settings
        self.failures: list[tuple[str, str]] = []
        self.ran = 0
        self.busy_until = -STAYS_WARM_S

    def run(self, row: Row, state) -> None:
        self.ran += 1
        while state:
            try:
                measured = self._measure(row, state)
            except Exception as error:  # one row's trouble is not the next one's
                reason = " ".join(f"{type(error).__name__}: {error}".split())
                self.failures.append((row.name, reason))
                state.skip_with_error(reason)
                break
            state.set_iteration_time(max(measured.seconds, 1e-9))

    @torch.no_grad()
    def _measure(self, row: Row, state) -> Measurement:
        operation = row.family.make(row.point)
        threads = torch.get_num_threads()
        torch.set_num_threads(getattr(operation, "threads", threads))
        settings = Settings(**vars(self.settings))
        if time.perf_counter() - self.busy_until < STAYS_WARM_S:
            settings.warm_up_s *= WARM_SHARE
        take = take_on_host if operation.on_host else take_on_device
        try:
            take(operation.submit, 1)  # what it allocates and compiles the first time
            operation.poison()
            take(operation.submit, 1)
            operation.verify()
            gc.collect()
            gc.disable()
            measured = measure(lambda operations: take(operation.submit, operations), settings)
            operation.verify()
        finally:
            gc.enable()
            torch.set_num_threads(threads)
        if not operation.on_host:
            self.busy_until = time.perf_counter()
        for name, value in (measured.counters() | operation.counters(measured.p50_us)).items():
            state.counters[name] = value
        if operation.bytes:
            state.bytes_processed = operation.bytes
        return measured


def output_file(flags: list[str]) -> str:
    """The file of --benchmark_out; empty if there is none."""
    named = [flag.partition("=")[2] for flag in flags if flag.startswith("--benchmark_out=")]
    return named[-1] if named else ""


def is_json(path: str) -> bool:
    try:
        with open(path) as file:
            json.load(file)
    except (OSError, ValueError):
        return False
    return True


def command_output(command: list[str]) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=20, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def context(arguments: argparse.Namespace, sweep: str) -> dict[str, str]:
    """What overlap-bench records of the machine, by the same names, and PyTorch's own."""
    here = os.path.dirname(os.path.abspath(__file__))
    about = {
        "backend": "host",
        "build_type": "Release",
        "compiler": f"Python {platform.python_version()}",
        "gpu": "CPU",
        "torch": torch.__version__,
        "revision": arguments.revision
        or command_output(["git", "-C", here, "describe", "--always", "--dirty", "--exclude=*"])
        or "unknown",
        "sweep": sweep,
    }
    if torch.cuda.is_available():
        properties = torch.cuda.get_device_properties(0)
        about |= {
            "backend": "cuda",
            "gpu": properties.name,
            "compute_capability": f"{properties.major}.{properties.minor}",
            "cuda_runtime": torch.version.cuda,
            "driver": command_output(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader", "--id=0"]),
            "sm_count": str(properties.multi_processor_count),
            "l2_bytes": str(properties.L2_cache_size),
        }
    return about


def parse(argv: list[str]) -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(
        prog="main.py",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--sweep",
        action="append",
        default=[],
        metavar="[FAMILY.]AXIS=V[,V...]",
        help="replace an axis's values; repeatable",
    )
    parser.add_argument(
        "--list-axes", action="store_true", help="print every family, its axes and their values, and exit"
    )
    parser.add_argument(
        "--benchmark_min_time", type=float, default=0.2, metavar="SECONDS", help="measured time per row (default 0.2)"
    )
    parser.add_argument(
        "--benchmark_min_warmup_time", type=float, default=0.2, metavar="SECONDS", help="warm-up per row (default 0.2)"
    )
    parser.add_argument("--revision", default="", help="revision to record (default: asks git)")
    arguments, rest = parser.parse_known_args(argv)
    for unknown in rest:
        if not unknown.startswith("--benchmark_"):
            parser.error(f"unrecognized argument {unknown}")
    return arguments, rest


def list_axes() -> None:
    for family in FAMILIES:
        print(f"{family.name}: {family.summary}{' (needs a GPU)' if family.needs_cuda else ''}")
        for axis in family.axes:
            print(f"  {axis.name} = {axis.values}\n      {axis.help}")


def main(argv: list[str]) -> int:
    arguments, rest = parse(argv)
    if arguments.list_axes:
        list_axes()
        return 0
    try:
        rows = plan_rows(FAMILIES, arguments.sweep, torch.cuda.is_available())
    except UsageError as error:
        print(f"main.py: {error}", file=sys.stderr)
        return 2
    runner = Runner(Settings(warm_up_s=arguments.benchmark_min_warmup_time, min_time_s=arguments.benchmark_min_time))
    for row in rows:
        options = benchmark.option.iterations(1)(lambda state, row=row: runner.run(row, state))
        options = benchmark.option.unit(benchmark.kMicrosecond)(benchmark.option.use_manual_time()(options))
        benchmark.register(options, name=row.name)
    sweep = " ".join(
        [f"min_time={arguments.benchmark_min_time:g} warm_up={arguments.benchmark_min_warmup_time:g}"] + arguments.sweep
    )
    for key, value in context(arguments, sweep).items():
        benchmark.add_custom_context(key, value)
    remaining = benchmark.initialize([sys.argv[0], *rest])
    if len(remaining) > 1:
        print(f"main.py: Google Benchmark does not know {' '.join(remaining[1:])}", file=sys.stderr)
        return 2
    listing = any(flag.startswith("--benchmark_list_tests") and not flag.endswith("false") for flag in rest)
    out = output_file(rest)
    try:
        if out and not listing:
            with open(out, "w") as file:  # now, and not after minutes of measuring
                file.write("\n")
    except OSError as error:
        print(f"main.py: --benchmark_out={out}: {error.strerror}", file=sys.stderr)
        return 2
    benchmark.run_benchmarks()
    if listing:
        return 0
    whole = not out or not runner.ran or is_json(out)
    if not whole:
        print(f"main.py: {out} is not whole: is the disk full?", file=sys.stderr)
    for name, reason in runner.failures:
        print(f"FAILED {name}: {reason}", file=sys.stderr)
    if runner.ran == 0:
        print("main.py: no row matches; --benchmark_list_tests shows their names", file=sys.stderr)
    return 1 if runner.failures or runner.ran == 0 or not whole else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
