"""The house's rules that a reader of includes can hold: who may include whom, no cycles, no long files.

    layout.py [FOLDER]     finds what breaks them below FOLDER, by default this repository
    layout.py --self-test  breaks each rule on purpose, in a folder of its own, and sees that it is found

A room is a folder; a file belongs to the longest one that it lies in. Includes in quotes are looked up as the compiler
does. Tests belong to no room: they may include what they test.
"""

import re
import sys
import tempfile
from pathlib import Path

MOST_LINES = 400
SOURCES = {".cpp", ".hpp", ".cu", ".cuh"}
INCLUDE_ROOTS = [
    "bench",
    "tools/report",
    "kernels/include",
    "kernels",
    "kernels/reference",
    "bench/tests",
    "kernels/tests",
    "tools/report/tests",
]
ADAPTER = "bench/harness/google_benchmark.cpp"

# What each room may include of the project beside itself.
ROOMS = {
    "kernels": ["kernels/include"],
    "kernels/include": [],
    "kernels/host": ["kernels", "kernels/include"],
    "kernels/cuda": ["kernels", "kernels/include"],
    "kernels/reference": ["kernels", "kernels/include"],
    "kernels/torch": ["kernels", "kernels/include"],
    "bench": ["bench/families", "bench/harness", "bench/names", "kernels/include"],
    "bench/names": [],
    "bench/harness": ["bench/names", "kernels/include"],
    "bench/families": ["bench/harness", "bench/names", "kernels/include", "kernels/reference"],
    "tools/report/read": ["bench/names"],
    "tools/report/judge": ["tools/report/read", "bench/names"],
    "tools/report/families": ["tools/report/judge", "tools/report/read", "bench/names"],
    "tools/report/show": ["tools/report/judge", "tools/report/read", "bench/names"],
    "tools/report": [
        "tools/report/families",
        "tools/report/judge",
        "tools/report/read",
        "tools/report/show",
        "bench/names",
    ],
}
# Headers that few may include: which, and where.
GUARDED = [
    (r"cuda|cublas", r"kernels/cuda/", "CUDA outside kernels/cuda"),
    (r"benchmark/", re.escape(ADAPTER) + "$", "Google Benchmark outside its adapter"),
    (r"regex$", r".*\.cpp$", "<regex> in a header"),
    (r"nlohmann/", r"tools/report/read/json\.cpp$|bench/", "the JSON library outside its files"),
    (r"CLI/", r"tools/report/main\.cpp$|bench/harness/options\.cpp$", "CLI11 outside the two command lines"),
]
MOST_JSON = 3  # sources that include the JSON library: it takes longer to compile than all the rest


def sources(root):
    """All source files below root, as paths relative to it, with their includes: (quoted or not, what)."""
    found = {}
    for folder in ("kernels", "bench", "tools"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SOURCES and "build" not in path.parts:
                text = path.read_text(encoding="utf-8")
                includes = re.findall(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', text, re.MULTILINE)
                found[str(path.relative_to(root))] = [(mark == '"', what) for mark, what in includes]
    return found


def room_of(path):
    """The longest room that the file lies in; tests belong to none."""
    if "/tests/" in path:
        return None
    return max((room for room in ROOMS if path.startswith(room + "/")), key=len, default=None)


def resolved(files, path, what):
    """The project's file that an include in quotes means; None if it is nobody's here."""
    for start in [str(Path(path).parent)] + INCLUDE_ROOTS:
        if f"{start}/{what}" in files:
            return f"{start}/{what}"
    return None


def forbidden_includes(files, is_final):
    """Includes that no arrow of the house allows."""
    for path, includes in files.items():
        room = room_of(path)
        for quoted, what in includes:
            for header, where, complaint in GUARDED:
                ours = quoted and resolved(files, path, what)
                if not ours and re.match(header, what) and not re.match(where, path):
                    early = header == "benchmark/" and not is_final and path.startswith("bench/")
                    if not early and ("/tests/" not in path or header == "regex$"):
                        yield f"{path} includes {what}: {complaint}"
            target = resolved(files, path, what) if quoted else None
            if not target:
                continue
            other = room_of(target)
            if room is None:
                continue
            if other is None:
                yield f"{path} includes {what}, which belongs to tests"
            elif other not in [room] + ROOMS[room] and (is_final or room != "bench/harness"):
                yield f"{path} includes {what}: {room} may not see {other}"
    json = [path for path, includes in files.items() if any(what.startswith("nlohmann/") for _, what in includes)]
    if is_final and len([path for path in json if room_of(path)]) > MOST_JSON:
        yield f"more than {MOST_JSON} sources include the JSON library: {', '.join(json)}"


def cycles(files):
    """Headers that include each other, however long the way round: each cycle once."""
    done, way = set(), []

    def visit(path):
        if path in way:
            yield " -> ".join(way[way.index(path) :] + [path]) + ": a cycle"
            return
        if path in done:
            return
        way.append(path)
        for quoted, what in files[path]:
            target = resolved(files, path, what) if quoted else None
            if target:
                yield from visit(target)
        way.pop()
        done.add(path)

    for path in files:
        yield from visit(path)


def long_files(root):
    """Files of more lines than a reader takes in."""
    for folder in (".ci", "bench", "kernels", "tools"):
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root)
            if (
                path.suffix in SOURCES | {".py", ".sh", ".js"}
                and "build" not in name.parts
                and "data" not in name.parts
            ):
                lines = len(path.read_text(encoding="utf-8").splitlines())
                if lines > MOST_LINES:
                    yield f"{name}: {lines} lines, at most {MOST_LINES}"


def findings(root):
    """All that breaks a rule below root, a sentence each."""
    files = sources(root)
    # Until the adapter has a file of its own, the harness is not held to what comes with it.
    return [*forbidden_includes(files, is_final=ADAPTER in files), *cycles(files), *long_files(root)]


def self_test():
    """Breaks each rule on purpose. Returns what was not found, or found where nothing was wrong."""
    good = {
        ADAPTER: "#include <benchmark/benchmark.h>\n",
        "bench/names/a.hpp": "#include <string>\n",
        "tools/report/read/a.hpp": '#include "names/a.hpp"\n',
    }
    broken = {
        "a cycle": {
            "bench/names/x.hpp": '#include "names/y.hpp"\n',
            "bench/names/y.hpp": '#include "names/z.hpp"\n',
            "bench/names/z.hpp": '#include "names/x.hpp"\n',
        },
        "kernels/host may not see kernels/cuda": {
            "kernels/host/x.cpp": '#include "cuda/x.hpp"\n',
            "kernels/cuda/x.hpp": "",
        },
        "CUDA outside": {"bench/harness/x.cpp": "#include <cuda_runtime_api.h>\n"},
        "Google Benchmark outside": {"bench/harness/x.cpp": "#include <benchmark/benchmark.h>\n"},
        "bench/harness may not see bench/families": {
            "bench/harness/x.cpp": '#include "families/x.hpp"\n',
            "bench/families/x.hpp": "",
        },
        "bench/names may not see bench/harness": {
            "bench/names/x.cpp": '#include "harness/x.hpp"\n',
            "bench/harness/x.hpp": "",
        },
        "tools/report/read may not see tools/report/judge": {
            "tools/report/read/x.cpp": '#include "judge/x.hpp"\n',
            "tools/report/judge/x.hpp": "",
        },
        "tools/report/judge may not see tools/report/families": {
            "tools/report/judge/x.cpp": '#include "families/x.hpp"\n',
            "tools/report/families/x.hpp": "",
        },
        "tools/report/families may not see tools/report/show": {
            "tools/report/families/x.cpp": '#include "show/x.hpp"\n',
            "tools/report/show/x.hpp": "",
        },
        "tools/report/read may not see bench/harness": {
            "tools/report/read/x.cpp": '#include "harness/x.hpp"\n',
            "bench/harness/x.hpp": "",
        },
        "tools/report/show may not see tools/report": {
            "tools/report/show/x.cpp": '#include "commands.hpp"\n',
            "tools/report/commands.hpp": "",
        },
        "<regex> in a header": {"tools/report/judge/x.hpp": "#include <regex>\n"},
        "JSON library outside": {"tools/report/judge/x.cpp": "#include <nlohmann/json.hpp>\n"},
        "CLI11 outside": {"tools/report/judge/x.cpp": "#include <CLI/CLI.hpp>\n"},
        "401 lines": {"bench/torch/x.py": "x = 1\n" * (MOST_LINES + 1)},
    }
    wrong = []
    for complaint, files in [("", {}), *broken.items()]:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (good | files).items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            found = findings(Path(folder))
        if len(found) != (1 if complaint else 0) or complaint not in "".join(found):
            wrong.append(f"self-test: expected '{complaint}', found {found}")
    return wrong


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        problems = self_test()
    else:
        problems = findings(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[3]))
    print("\n".join(problems), end="\n" if problems else "")
    sys.exit(1 if problems else 0)
