"""The benchmark program: what it measures, what it refuses, and that the report reads what it writes."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

HERE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE))

import main  # noqa: E402
import products  # noqa: E402
import swish  # noqa: E402
from measure import Sample, Settings, measure, percentile  # noqa: E402
from rows import UsageError, WrongResult, plan_rows  # noqa: E402

HAS_GPU = torch.cuda.is_available()
needs_cuda = pytest.mark.skipif(not HAS_GPU, reason="needs a GPU")
BRIEF = ["--benchmark_min_time=0.001", "--benchmark_min_warmup_time=0"]


def program(*arguments):
    return subprocess.run([sys.executable, HERE / "main.py", *arguments], capture_output=True, text=True)


def names_in(header):
    """The words that the C++ programs and the report use, as bench/names declares them."""
    text = (HERE.parent / "names" / header).read_text()
    return set(re.findall(r'constexpr const char\* k\w+ =\s*"([^"]+)";', text))


def test_counters_and_context_have_the_names_of_the_cpp_program(tmp_path):
    out = tmp_path / "run.json"
    result = program(*BRIEF, "--sweep=n=1000", "--sweep=impl=silu", "--sweep=dtype=float32", f"--benchmark_out={out}")
    assert result.returncode == 0, result.stderr
    run = json.loads(out.read_text())
    librarys = {"date", "host_name", "executable", "num_cpus", "mhz_per_cpu", "cpu_scaling_enabled", "caches"}
    librarys |= {"load_avg", "library_version", "library_build_type", "aslr_enabled", "json_schema_version"}
    assert set(run["context"]) - librarys <= names_in("context_keys.hpp")
    fields = {"name", "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions", "threads"}
    fields |= {"repetition_index", "iterations", "real_time", "cpu_time", "time_unit", "label"}
    usual = {"min_us", "p50_us", "p95_us", "cv", "batch", "samples", "submit_us", "host_bound", "cpu_free_pct"}
    for row in run["benchmarks"]:
        assert usual <= set(row)
        assert set(row) - fields <= names_in("counters.hpp")


def operation(family, **point):
    usual = {"pass": "forward", "impl": "silu", "submit": "launch", "n": "1000", "dtype": "float32"}
    return family.make(usual | point if family is swish.FAMILY else point)


class TestMeasure:
    def test_short_operations_share_a_region(self):
        regions = []

        def take(operations):
            regions.append(operations)
            return Sample(operations * 2e-6, operations * 1e-6)

        measured = measure(take, Settings(warm_up_s=0, min_time_s=0.01))
        assert 2500 <= measured.batch <= 3250, "5 ms and a quarter more"
        assert measured.samples * measured.batch * 2e-6 >= 0.01
        assert measured.p50_us == pytest.approx(2)
        assert measured.submit_us == pytest.approx(1)
        assert measured.counters()["host_bound"] == 0
        assert measured.counters()["cpu_free_pct"] == pytest.approx(50)

    def test_long_operations_are_taken_one_by_one(self):
        measured = measure(
            lambda operations: Sample(operations * 0.5, operations * 0.49), Settings(warm_up_s=0, min_time_s=0.01)
        )
        assert (measured.batch, measured.samples) == (1, 5)
        assert measured.counters()["host_bound"] == 1

    def test_percentiles_lie_between_the_nearest(self):
        assert percentile([3, 1, 2], 0.5) == 2
        assert percentile([0, 10], 0.95) == pytest.approx(9.5)


class TestRows:
    def rows(self, *sweeps, has_cuda=True):
        return [row.name for row in plan_rows(main.FAMILIES, list(sweeps), has_cuda)]

    def test_every_family_has_rows_and_names_are_single(self):
        names = self.rows()
        assert len(names) == len(set(names))
        assert {name.split("/")[0] for name in names} == {"torch_swish", "torch_double_buffer", "torch_streams"}
        assert "torch_double_buffer/sync:per_buffer/buffers:2/dim:4096/batches:10" in names

    def test_without_a_gpu_there_are_only_rows_of_tensors(self):
        assert {name.split("/")[0] for name in self.rows(has_cuda=False)} == {"torch_swish"}

    def test_sweeps_replace_values(self):
        names = self.rows("n=7,2^10", "torch_swish.impl=silu", "submit=launch")
        assert [n for n in names if n.startswith("torch_swish/pass:forward")] == [
            f"torch_swish/pass:forward/impl:silu/submit:launch/n:{n}/dtype:float32" for n in (7, 1024)
        ]

    @pytest.mark.parametrize(
        "sweep, says",
        [
            ("implx=silu", "did you mean 'impl'"),
            ("impl=sulu", "did you mean 'silu'"),
            ("torch_swiss.n=1", "did you mean 'torch_swish'"),
            ("n=0", "at least 1"),
            ("n=x", "whole numbers"),
            ("n", "takes"),
            ("n=", "takes"),
        ],
    )
    def test_wrong_words_name_the_right_ones(self, sweep, says):
        with pytest.raises(UsageError, match=says):
            self.rows(sweep)


class TestSwish:
    @pytest.mark.parametrize("which", ["forward", "backward", "backward_of_sum"])
    @pytest.mark.parametrize("impl", ["extension", "silu", "composed", "cpu"])
    def test_rows_are_right(self, which, impl):
        for dtype in swish.DTYPES:
            row = operation(swish.FAMILY, **{"pass": which, "impl": impl, "dtype": dtype, "n": "10007"})
            row.submit()
            row.poison()
            row.submit()
            row.verify()
            assert row.bytes == 10007 * torch.finfo(swish.DTYPES[dtype]).bits // 8 * (3 if which == "backward" else 2)

    def test_wrong_results_are_noticed(self):
        row = operation(swish.FAMILY)
        row.function = lambda x: torch.nn.functional.silu(x) * 1.001
        row.submit()
        with pytest.raises(WrongResult, match="wrong elements"):
            row.verify()
        row.out.fill_(float("nan"))
        with pytest.raises(WrongResult, match="1000 wrong elements, the first at 0"):
            row.verify()


class TestProgram:
    def test_writes_what_the_report_reads(self, tmp_path):
        out = tmp_path / "torch.json"
        ran = program(
            f"--benchmark_out={out}",
            "--sweep=n=1000",
            *BRIEF,
            "--benchmark_filter=launch.*float32|double_buffer.*serial",
        )
        assert ran.returncode == 0, ran.stderr
        run = json.loads(out.read_text())
        assert {"backend", "build_type", "gpu", "torch", "revision", "sweep"} <= run["context"].keys()
        for row in run["benchmarks"]:
            assert {
                "min_us",
                "p50_us",
                "p95_us",
                "cv",
                "batch",
                "samples",
                "submit_us",
                "host_bound",
                "cpu_free_pct",
            } <= row.keys()
            assert 0 < row["min_us"] <= row["p50_us"] <= row["p95_us"]
            assert row["time_unit"] == "us"
        if report := os.environ.get("OVERLAP_REPORT"):
            for command in (
                ["table", out],
                ["advise", out],
                ["compare", "--baseline", out, "--new", out, "--advisory"],
            ):
                read = subprocess.run([report, *command], capture_output=True, text=True)
                assert read.returncode == 0, read.stderr
                expected = {"table": "torch_swish", "advise": "torch", "compare": "Nothing could be tested"}
                assert expected[command[0]] in read.stdout
                if command[0] != "compare":  # which says that it is one file
                    assert "warning" not in read.stderr

    def test_a_failed_row_does_not_end_the_others(self, tmp_path):
        out = tmp_path / "torch.json"
        ran = program(
            f"--benchmark_out={out}",
            "--sweep=submit=launch,graph",
            "--sweep=impl=silu",
            f"--sweep=n=1000,{(1 << 40) - 1}",
            *BRIEF,
        )
        assert ran.returncode == 1
        rows = json.loads(out.read_text())["benchmarks"]
        assert any(row.get("error_occurred") for row in rows)
        assert any(row.get("real_time", 0) > 0 for row in rows if not row.get("error_occurred"))
        assert "FAILED torch_swish" in ran.stderr

    def test_a_file_cut_short_is_noticed(self, tmp_path):
        cut = tmp_path / "cut.json"
        cut.write_text('{"context": {')
        assert not main.is_json(str(cut))
        cut.write_text("{}")
        assert main.is_json(str(cut))

    def test_usage(self):
        assert program("--sweep=imp=1").returncode == 2
        assert program("--nonsense").returncode == 2
        assert program("--benchmark_filter=nothing").returncode == 1
        full = program("--benchmark_out=/dev/full")
        assert full.returncode == 2 and "/dev/full: No space left" in full.stderr
        listed = program("--list-axes")
        assert listed.returncode == 0 and "torch_streams" in listed.stdout
        assert "--sweep" in program("--help").stdout


def run_and_verify(row):
    row.poison()
    torch.cuda.synchronize()
    row.submit()
    torch.cuda.synchronize()
    row.verify()


@needs_cuda
class TestCuda:
    @pytest.mark.parametrize("impl", ["extension", "silu", "composed", "compiled"])
    def test_captured_rows_are_right(self, impl):
        run_and_verify(operation(swish.FAMILY, impl=impl, submit="graph", n="10007"))

    @pytest.mark.parametrize("sync", ["serial", "whole_stream", "per_buffer"])
    def test_double_buffers_are_right(self, sync):
        row = products.DOUBLE_BUFFER.make({"sync": sync, "buffers": "2", "dim": "256", "batches": "5"})
        for _ in range(3):  # back to back, as they are measured
            row.poison()
            row.submit()
        torch.cuda.synchronize()
        row.verify()

    def test_missing_waits_are_noticed(self):
        row = products.DOUBLE_BUFFER.make({"sync": "none", "buffers": "2", "dim": "512", "batches": "8"})
        row.submit()  # the first launch of a kernel waits for the device
        torch.cuda.synchronize()
        row.poison()
        with torch.cuda.stream(row.compute):
            torch.cuda._sleep(100_000_000)  # late products then read what later copies left
        row.submit()
        torch.cuda.synchronize()
        with pytest.raises(WrongResult, match="is off by"):
            row.verify()

    @pytest.mark.parametrize("submit", ["launch", "graph"])
    @pytest.mark.parametrize("streams", ["1", "2"])
    def test_streams_are_right(self, streams, submit):
        run_and_verify(products.STREAMS.make({"streams": streams, "submit": submit, "dim": "300"}))
