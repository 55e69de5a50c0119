"""Families, their axes, and the rows that --sweep makes of them: the words and names of the C++ program."""

import difflib
import itertools
import re
from dataclasses import dataclass, field
from typing import Callable, Protocol

Point = dict[str, str]


class UsageError(Exception):
    """Wrong words on the command line; the text names the nearest right ones."""


class Operation(Protocol):
    """One row, ready to run. Made when its turn comes and dropped after it."""

    bytes: int  # read plus written, 0 where that says nothing
    on_host: bool  # its time is the wall clock's

    def submit(self) -> None: ...  # enqueues one operation on the current stream
    def poison(self) -> None: ...  # makes sure that what verify() sees was written since
    def verify(self) -> None: ...  # raises WrongResult
    def counters(self, p50_us: float) -> dict[str, float]: ...


class WrongResult(Exception):
    pass


@dataclass
class Axis:
    name: str
    help: str
    values: str
    choices: tuple[str, ...] = ()  # empty: whole numbers of at least 1
    host_values: str = ""  # without a GPU


@dataclass
class Family:
    name: str
    summary: str
    axes: list[Axis]
    make: Callable[[Point], Operation]
    wanted: Callable[[Point, set[str]], bool] = field(default=lambda point, asked: True)
    needs_cuda: bool = False


@dataclass
class Row:
    family: Family
    point: Point

    @property
    def name(self) -> str:
        return "/".join([self.family.name] + [f"{axis}:{value}" for axis, value in self.point.items()])


def _nearest(word: str, known: list[str]) -> str:
    near = difflib.get_close_matches(word, known, 1)
    return f"; did you mean '{near[0]}'?" if near else f" (known: {', '.join(known)})"


def parse_values(axis: Axis, text: str) -> list[str]:
    """'a,b', '1000,2^28'. Raises UsageError."""
    values = []
    for value in text.split(","):
        if axis.choices:
            if value not in axis.choices:
                raise UsageError(f"{axis.name} has no value '{value}'{_nearest(value, list(axis.choices))}")
        else:
            power = re.fullmatch(r"(\d+)\^(\d+)", value)
            number = int(power[1]) ** int(power[2]) if power else int(value) if value.isdecimal() else 0
            if not 1 <= number < 1 << 40:
                raise UsageError(f"{axis.name} takes whole numbers such as 4096 or 2^20, of at least 1, not '{value}'")
            value = str(number)
        if value not in values:
            values.append(value)
    return values


def plan_rows(families: list[Family], sweeps: list[str], has_cuda: bool) -> list[Row]:
    """The rows of all families; each sweep, '[FAMILY.]AXIS=V[,V...]', replaces an axis's values. Raises UsageError."""
    asked: dict[tuple[str, str], str] = {}
    for sweep in sweeps:
        target, equals, values = sweep.partition("=")
        family_name, dot, axis_name = target.rpartition(".")
        if not equals or not values:
            raise UsageError(f"--sweep takes [FAMILY.]AXIS=V[,V...], not '{sweep}'")
        if dot and family_name not in (names := [f.name for f in families]):
            raise UsageError(f"no family '{family_name}'{_nearest(family_name, names)}")
        meant = [f for f in families if not dot or f.name == family_name]
        known = sorted({axis.name for family in meant for axis in family.axes})
        if axis_name not in known:
            raise UsageError(f"no axis '{axis_name}'{_nearest(axis_name, known)}")
        for family in meant:
            asked[family.name, axis_name] = values
    rows = []
    for family in families:
        if family.needs_cuda and not has_cuda:
            continue
        choices = []
        for axis in family.axes:
            usual = axis.values if has_cuda or not axis.host_values else axis.host_values
            choices.append(parse_values(axis, asked.get((family.name, axis.name), usual)))
        swept = {axis for name, axis in asked if name == family.name}
        for values in itertools.product(*choices):
            point = dict(zip((axis.name for axis in family.axes), values))
            if family.wanted(point, swept):
                rows.append(Row(family, point))
    return rows
