"""How often an operation is run and what is made of the times: the rules of bench/measure.hpp, but with longer regions.

Knows nothing of what it measures: a sample is a region of several operations run back to back.
"""

import statistics
import time
from dataclasses import dataclass
from typing import Callable

LEAST_SAMPLES = 5  # below which no spread can be told
MOST_SAMPLES = 20_000
REGION_MARGIN = 1.25  # so that a slightly faster run is not too short
MOST_WALL_PER_MIN_TIME = 4


@dataclass
class Sample:
    seconds: float  # makespan of the region
    submit_seconds: float  # CPU time until all of it was enqueued


@dataclass
class Settings:
    warm_up_s: float = 0.2  # an idle GPU needs that long to raise its clock
    min_time_s: float = 0.2  # sum of measured time per row
    wall_budget_s: float = 10.0
    # Python takes 10 to 50 us to start the first operation of a region, in which the GPU waits: long against that.
    least_region_s: float = 5e-3


@dataclass
class Measurement:
    """Per operation; microseconds where the name says so."""

    seconds: float
    min_us: float
    p50_us: float
    p95_us: float
    cv: float
    submit_us: float
    batch: int
    samples: int

    def counters(self) -> dict[str, float]:
        host_bound = self.submit_us > 0.9 * self.p50_us
        return {
            "min_us": self.min_us,
            "p50_us": self.p50_us,
            "p95_us": self.p95_us,
            "cv": self.cv,
            "batch": self.batch,
            "samples": self.samples,
            "submit_us": self.submit_us,
            "host_bound": float(host_bound),
            "cpu_free_pct": max(0.0, 100 - 100 * self.submit_us / self.p50_us) if self.p50_us > 0 else 0.0,
        }


def percentile(values: list[float], fraction: float) -> float:
    """Value below which `fraction` of the values lie, between the two nearest."""
    ordered = sorted(values)
    at = fraction * (len(ordered) - 1)
    below = int(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (at - below) * (ordered[above] - ordered[below])


def measure(take: Callable[[int], Sample], settings: Settings) -> Measurement:
    """Warms up, finds how many operations make a region long enough, and takes as many regions as min_time_s asks."""
    start = time.perf_counter()
    batch = 1
    while True:
        region_start = time.perf_counter()
        last = take(batch)
        wall = time.perf_counter() - region_start
        if last.seconds < settings.least_region_s and batch < 1 << 20:
            batch *= 2
        elif time.perf_counter() - start >= settings.warm_up_s:
            break
    each = max(1e-9, last.seconds / batch)
    scale = 1.0
    if batch > 1:
        planned = max(1, -int(-REGION_MARGIN * settings.least_region_s // each))
        scale, batch = planned / batch, planned
    region_s = each * batch
    region_wall_s = max(region_s, wall * scale)
    samples = max(LEAST_SAMPLES, min(MOST_SAMPLES, int(settings.min_time_s / region_s) + 1))
    samples = min(samples, max(LEAST_SAMPLES, int(MOST_WALL_PER_MIN_TIME * settings.min_time_s / region_wall_s) + 1))
    samples = max(1, min(samples, int(settings.wall_budget_s / region_wall_s)))

    taken = [take(batch) for _ in range(samples)]
    times = [sample.seconds / batch for sample in taken]
    mean = statistics.fmean(times)
    return Measurement(
        seconds=mean,
        min_us=min(times) * 1e6,
        p50_us=percentile(times, 0.5) * 1e6,
        p95_us=percentile(times, 0.95) * 1e6,
        cv=statistics.stdev(times) / mean if len(times) > 1 and mean > 0 else 0.0,
        submit_us=percentile([sample.submit_seconds / batch for sample in taken], 0.5) * 1e6,
        batch=batch,
        samples=samples,
    )
