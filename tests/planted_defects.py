#!/usr/bin/env python3
"""Plant the defects of planted_defects.txt one after another and print the first test that catches each.

    tests/planted_defects.py [--work FOLDER] [NAME...]    all, or those whose names, files or tests contain a NAME

The script copies the working tree into FOLDER and builds the copy once. Every defect of a source in C++ is in this
build behind a condition, which holds if the environment variable MASING_PLANTED has the name of the defect. Defects in
Python are planted in the copy one at a time. For each defect the test programs of the named rooms run first, then, if
these pass, the named files of pytest; a program that takes 200 s has caught it, too. Before the first defect all these
tests run without one and must pass. Exit code 1 if a defect is not caught.

An entry of the list begins with "name: file: rooms: files of pytest". Then follow lines that begin with "- " and "+ ",
the text that is replaced and what replaces it. A line "@ text" before them says after which text the replaced text is
searched. If the replaced text ends with ";", both texts are statements, else expressions. If PLANTED occurs in the new
text, it stands for the condition, and the new text is taken as it is. A list of one's own is named by --list FILE.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEADER = """#pragma once
#include <cstdlib>
#include <cstring>
inline bool masing_is_planted(const char* name) {
  const char* given = std::getenv("MASING_PLANTED");
  return given != nullptr && std::strcmp(given, name) == 0;
}
#define MASING_PLANTED(name) ([] { static const bool is = masing_is_planted(name); return is; }())
"""


@dataclass
class Defect:
    """A defect of the list: where it is, its texts, and the tests that may see it."""

    name: str
    file: str
    rooms: list[str]
    files: list[str]
    after: str = ""
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)

    @property
    def in_cpp(self):
        return not self.file.endswith(".py")

    def planted_in(self, source):
        """Return the source with the defect; raise ValueError if its place is not unique."""
        old, new = "\n".join(self.old), "\n".join(self.new)
        if self.in_cpp:
            condition = f'MASING_PLANTED("{self.name}")'
            if "PLANTED" in new:
                new = new.replace("PLANTED", condition)
            elif old.endswith(";"):
                new = f"if ({condition}) {{ {new} }} else {{ {old.strip()} }}"
            else:
                new = f"({condition} ? ({new}) : ({old}))"
        begin = source.index(self.after)
        count = source.count(old, begin)
        if count == 0 or (count > 1 and not self.after):
            raise ValueError(f"{self.name}: the text occurs {count} times in {self.file}: {old}")
        return source[:begin] + source[begin:].replace(old, new, 1)


def read_list(path):
    """Return the defects of the list at this path."""
    defects = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith(("- ", "+ ", "@ ")):
            if line[0] == "@":
                defects[-1].after = line[2:]
            else:
                (defects[-1].old if line[0] == "-" else defects[-1].new).append(line[2:])
        elif line in ("-", "+"):
            (defects[-1].old if line == "-" else defects[-1].new).append("")
        elif line and not line.startswith("#"):
            name, file, rooms, files = (part.strip() for part in line.split(":"))
            defects.append(Defect(name, file, rooms.split(), files.split()))
    return defects


def run(words, folder, limit=1200, **environment):
    """Run a command in a folder for at most `limit` seconds; return its exit code and what it printed."""
    with subprocess.Popen(words, cwd=folder, env=os.environ | environment, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace",
                          start_new_session=True) as process:
        try:
            text, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return 1, "FAILED time-limit"
    return process.returncode, text


def copy_planted(copy, defects):
    """Copy the files of the working tree to `copy`, with the defects; files that are already as wanted are kept."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = [name for name in run(listed, ROOT)[1].splitlines() if (ROOT / name).is_file()]
    for name in names:
        source, target = ROOT / name, copy / name
        content = source.read_bytes()
        for defect in defects:
            if defect.file == name:
                content = defect.planted_in(content.decode()).encode()
        if not target.is_file() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            shutil.copymode(source, target)
    for path in (copy / "tests").rglob("*.*"):
        if path.is_file() and path.suffix in (".py", ".cpp", ".hpp") and str(path.relative_to(copy)) not in names:
            path.unlink()


def build(copy):
    """Build the program and the test programs of the copy with all defects in C++."""
    header = copy / "build/planted.hpp"
    header.parent.mkdir(parents=True, exist_ok=True)
    if not header.exists():
        header.write_text(HEADER, encoding="utf-8")
    for words in (["cmake", "--preset", "dev", "-DMASING_WARNINGS_AS_ERRORS=OFF",
                   f"-DCMAKE_CXX_FLAGS=-O1 -w -include {header}"],
                  ["cmake", "--build", "build/dev", "--parallel", str(os.cpu_count())]):
        code, text = run(words, copy)
        if code:
            raise ValueError(f"the copy with the defects does not build:\n{text[-4000:]}")


def catching_test(defect, copy):
    """Return the name of a test that fails with the defect, or None."""
    planted = {"MASING_PLANTED": defect.name, "GTEST_FAIL_FAST": "1",
               "MASING_PROGRAM": str(copy / "build/dev/masing"), "PYTHONDONTWRITEBYTECODE": "1"}
    for room in defect.rooms:
        code, text = run(["ctest", "--test-dir", "build/dev", "-R", f"^{room}(-n[0-9])?$", "-LE", "long",
                          "--output-on-failure", "--stop-on-failure"], copy, limit=200, **planted)
        if "No tests were found" in text:
            raise ValueError(f"{defect.name}: no test program is named {room}")
        if code:
            found = re.findall(r"\[  FAILED  \] ([\w./]+)|\(((?:SEGFAULT|Failed)[^)]*)\)|(time-limit)", text)
            return f"{room} {next((''.join(each) for each in found), '')}"
    if defect.files:
        code, text = run([sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider", "--numprocesses", "2",
                          *defect.files], copy, **planted)
        if code not in (0, 1, 2):  # 2: a worker stopped at the first failure
            raise ValueError(f"{defect.name}: pytest fails:\n{text[-2000:]}")
        if code:
            failed = re.findall(r"^(?:FAILED|ERROR) (\S+::\S+)", text, re.M)
            if not failed:
                raise ValueError(f"{defect.name}: pytest stops without a failed test:\n{text[-2000:]}")
            return failed[0]
    return None


def in_python(defect, copy):
    """Return the same for a defect in Python, which is planted for as long as the tests run."""
    source = copy / defect.file
    before = source.read_text(encoding="utf-8")
    source.write_text(defect.planted_in(before), encoding="utf-8")
    try:
        return catching_test(defect, copy)
    finally:
        source.write_text(before, encoding="utf-8")


def main():
    """Plant the defects that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", type=Path, default=ROOT / "tests/planted_defects.txt", help="another list of defects")
    parser.add_argument("--work", type=Path, help="the folder of the copy, which is kept; by default a temporary one")
    parser.add_argument("names", nargs="*", metavar="NAME", help="parts of names, files or tests of defects")
    arguments = parser.parse_args()
    every = read_list(arguments.list)
    chosen = [each for each in every if not arguments.names or any(
        name in " ".join([each.name, each.file, *each.rooms, *each.files]) for name in arguments.names)]
    if not chosen:
        raise ValueError(f"no defect of {arguments.list} contains {' or '.join(arguments.names)}")
    with tempfile.TemporaryDirectory() as temporary:
        copy = (arguments.work or Path(temporary)).resolve() / "masing"
        copy_planted(copy, [each for each in every if each.in_cpp])
        build(copy)
        tests = [sorted({name for each in chosen for name in of(each)})
                 for of in (lambda each: each.rooms, lambda each: each.files)]
        if found := catching_test(Defect("no defect", "", *tests), copy):
            raise ValueError(f"without a defect {found} fails")
        missed = 0
        for defect in chosen:
            start = time.monotonic()
            found = in_python(defect, copy) if not defect.in_cpp else catching_test(defect, copy)
            missed += found is None
            print(f"{defect.name}: {f'caught by {found}' if found else 'NOT CAUGHT'} "
                  f"({time.monotonic() - start:.0f} s)", flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} defects are caught")
    return 1 if missed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ValueError as error:
        sys.exit(f"planted_defects.py: {error}")
