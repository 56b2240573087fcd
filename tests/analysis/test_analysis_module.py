"""Running in the process gives what the program gives, to the bit, and leaves no file, no message and no MPI behind."""

import copy
import gc
import math
import os
import pickle
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import masing
from masing import native, program
from own_python import lines_of
from result_files import contents

pytestmark = [pytest.mark.skipif(native.module() is None, reason="no module beside the program"),
              pytest.mark.filterwarnings("ignore:with a step of", "ignore:.*sampled at")]

SMALL = {"cells": 20, "final_time": 20, "steps": 2000}
LONG = {"cells": 20000, "final_time": 200, "steps": 3000000}  # minutes
T = np.linspace(0, 20, 30)


@pytest.fixture(autouse=True)
def ctrl_c():
    """As in a terminal, also where what began the tests in the background has SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def by_program(monkeypatch):
    """What a call gives when the program makes it."""
    def call(work):
        with monkeypatch.context() as patch:
            patch.setenv("MASING_MODULE", "0")
            return work()
    return call


@pytest.mark.parametrize("command, options", [
    ("simulate", {**SMALL, "field_every": 500, "energy": True, "k0": 0.25, "scheme": "leapfrog",
                  "rule": "midpoint", "let": {"a": 0.3}, "stiffness": "1+a*s", "initial_u": "s/20", "from_": 5,
                  "force": (T, np.sin(T) / 3), "threshold": "0.2+0.5*s^2", "threshold_down": "s+0.2"}),
    # Three slabs that are kept apart, although they differ at their start or downwards alone.
    *(("simulate", {"cells": math.inf, "final_time": 30, "steps": 3000, "stiffness": "2-s", "threshold": "0.2+0.5*s^2",
                    "force": "sin(t)", **other}) for other in ({}, {"initial_u": "0.05"}, {"threshold_down": "0.5*s+0.1"})),
    ("simulate", {"model": "discrete-masing", "set": {"n": 3, "k": "1/n", "eta": "i"}, "force": "sin(t)", "final_time": 9,
                  "steps": 900}),
    ("simulate", {"model": "masing-quasistatic", "position": (T, np.sin(T)), "final_time": "2*pi", "steps": 500, "cells": 50}),
    ("simulate", {"config": "[let]\na = 0.3\n", "cells": 10, "final_time": "60*a", "steps": 300, "sample_every": 7}),
    ("converge", {"refine": "cells", "levels": [25, 50, 100], "reference": "cells-inf", "final_time": 9, "steps": 900}),
    ("scan", {"over": {"w": [0.5, 1, 2]}, "force": "0.1*sin(w*t)", **SMALL, "keep": "series"}),
    ("scan", {"over": {"w": "0.5:1:3"}, "force": "0.3*cos(w*t)", "k0": 0.2, "cells": "inf", "steady": True})])
def test_the_numbers_are_the_program_s_to_the_bit(command, options, by_program, tmp_path):
    here = getattr(masing, command)(**options, output=None)
    there = by_program(lambda: getattr(masing, command)(**options))
    assert "_masing" in here.provenance["command_line"] and "_masing" not in there.provenance["command_line"]
    expected = contents(there.path)
    assert len(expected) > 20
    assert contents(here.path) == contents(here.save(tmp_path / "saved.h5")) == expected
    assert repr(here) == repr(there)
    written = getattr(masing, command)(**options, output=tmp_path / "output.h5")
    assert here.messages == written.messages == []
    assert contents(tmp_path / "output.h5") == expected


@pytest.mark.parametrize("options", [
    {"force": "sin(("}, {"cells": -1}, {"nonsense": 3}, {"config": "/none.ini"}, {"initial_u": "file:/none.h5"},
    {"threshold": "-1", "force": 0, "cells": math.inf}, {"output": "/none/run.h5", **SMALL}, {"restart": "/none.checkpoint"},
    {"set": "k=1"}, {"cells": -1, "ranks": 2}])
def test_a_mistake_has_the_program_s_line_and_code(options, tmp_path):
    alone = {name: value for name, value in options.items() if name != "ranks"}
    words = masing.commands.words(alone, tmp_path)
    said = subprocess.run([program.required(), "simulate", *words], capture_output=True, text=True, check=False)
    with pytest.raises(masing.MasingError) as caught:
        masing.simulate(**options)
    line = next(line for line in said.stderr.splitlines() if line.startswith("masing: "))
    line = line.replace("--", "").replace("initial-u", "initial_u")  # options have the names of keyword arguments
    assert (f"masing: {caught.value}", caught.value.code) == (line, said.returncode)


def test_an_oscillation_that_grows_is_warned_of_in_one_line(by_program):
    """exp((δt ω² - c/m) T/2) is exp(2) up to T = 10, and up to T = 20 exp(4), or exp(3) with c = 0.1."""
    def said(**options):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            masing.simulate(stiffness=40, threshold=10, y0=1, force=0, cells="inf", scheme="euler", **options)
        return [str(each.message) for each in caught]

    assert said(final_time=10, steps=1000) == []
    grown, = said(final_time=20, steps=2000)
    assert "euler lets an elastic oscillation grow by exp(dt omega^2 T/2) = 54.6 until T" in grown
    assert grown.endswith("with scheme leapfrog not at all")
    assert "exp((dt omega^2 - c/m) T/2) = 20.1 until T" in said(final_time=20, steps=2000, damping=0.1)[0]
    assert by_program(lambda: said(final_time=20, steps=2000)) == [grown]


def test_without_output_there_is_no_file_until_its_path_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    run = masing.simulate(**SMALL, field_every=500)
    run.to_dataframe(), run.plot_cycle(), str(run), run.settings, run.u
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(masing.MasingError, match=r"^what masing.simulate\(\) gave: has no dataset /field/v; it has"):
        run["field/v"]
    later = masing.simulate(**SMALL, force=1, initial_u=run, field_every=2000)
    assert np.array_equal(later.u[0], run.last_u)
    file = run.path
    assert file.exists() and run.path == file
    del run, later
    gc.collect()
    assert not file.parent.exists()


@pytest.mark.parametrize("options", [{"ranks": 2}, {"checkpoint_every": 1000}, {}])
def test_a_temporary_file_is_there_as_long_as_a_result_has_it(options):
    large = {**SMALL, "cells": 40000}  # with fewer one rank would make it
    expected = masing.simulate(**large)
    run = masing.simulate(**large, **options)
    assert run.provenance["ranks"] == options.get("ranks", 1)
    other, deep, text, path = copy.copy(run), copy.deepcopy(run), pickle.dumps(run), run.path
    del run
    gc.collect()
    np.testing.assert_array_equal(other.x, expected.x)
    assert bool(options) == (other.path == path)
    folder = other.path.parent
    if not os.fork():  # a child that ends as a script does
        del other
        gc.collect()
        os._exit(0)
    os.wait()
    assert folder.exists()
    del other
    gc.collect()
    assert not folder.exists()
    for again in (deep, pickle.loads(text)):
        np.testing.assert_array_equal(again.x, expected.x)
        assert again.path.exists() and again.path != path and again.settings == expected.settings


def test_a_result_that_the_memory_cannot_hold_is_refused_before_the_first_step():
    said = "^output: the result in memory needs .* GiB, .* GiB may be used; give output, or a larger sample-every$"
    with pytest.raises(masing.MasingError, match=said) as caught:
        masing.simulate(cells=10, final_time=2, steps=10**12, sample_every=1)
    assert caught.value.code == 2


# Prints by how many bytes the memory grows with 150 runs that nobody keeps, and with one that is kept.
MEMORY = """
import os, masing
from pathlib import Path
def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
options = {"cells": 20, "final_time": 20, "steps": 1000}
for _ in range(50):
    masing.simulate(**options).x
before = resident()
for _ in range(150):
    masing.simulate(**options).x
print(resident() - before)
before = resident()
run = masing.simulate(**options | {"cells": 1500, "steps": 4000}, field_every=1)
run.x  # opens it
print(resident() - before)
"""


def test_the_bytes_of_a_result_are_there_once_and_go_with_it():
    dropped, kept = map(int, lines_of(MEMORY))  # in a process in which no other test has freed memory
    assert dropped < 10e6  # 160 files have as much
    assert 1 <= kept / (4001 * 1500 * 8) < 1.5


def test_threads_take_turns_and_give_the_same_while_others_go_on():
    count, is_over = [0], threading.Event()

    def others():
        while not is_over.wait(0.001):
            count[0] += 1

    def work(k0):
        return masing.simulate(cells=20000, final_time=20, steps=2000, force="sin(t)", k0=k0).x
    threading.Thread(target=others).start()
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(work, np.arange(12) / 10))
    is_over.set()
    assert count[0] > 10
    for one, other in zip(together, map(work, np.arange(12) / 10)):
        np.testing.assert_array_equal(one, other)


def press_in_a_moment():
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()


@pytest.mark.parametrize("command, options", [
    ("simulate", {}), ("converge", {"refine": "steps", "levels": [3000000, 6000000]}),
    ("scan", {"over": {"w": [1, 2]}, "force": "sin(w*t)"})])
def test_ctrl_c_ends_a_run_and_the_next_one_is_made(command, options):
    x = masing.simulate(**SMALL).x
    press_in_a_moment()
    with pytest.raises(KeyboardInterrupt):
        getattr(masing, command)(**{**LONG, **options, "steps": None if "levels" in options else LONG["steps"]})
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    np.testing.assert_array_equal(masing.simulate(**SMALL).x, x)


def script(text, *launcher, **variables):
    """The lines that a script with `options` prints."""
    head = "import os, signal, sys, numpy as np\noptions = dict(cells=20, final_time=20, steps=2000)\n"
    return lines_of(head + text, *launcher, **variables)


def test_ctrl_c_while_h5py_is_imported_comes_when_it_is_whole():
    assert script("""
class Press:
    def find_spec(self, name, path, target=None):
        if name.startswith("h5py") and name.endswith(".utils"):
            sys.meta_path.remove(self)
            signal.raise_signal(signal.SIGINT)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Press())
import masing
try:
    masing.simulate(**options)
except KeyboardInterrupt:
    print("h5py" in sys.modules)
print(len(masing.simulate(**options).x), signal.getsignal(signal.SIGINT) is signal.default_int_handler)
""") == ["True", "2001 True"]


def test_ctrl_c_ends_the_runs_of_other_threads_too():
    press_in_a_moment()
    with pytest.raises(KeyboardInterrupt), ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(masing.simulate, **LONG) for _ in range(2)]
        runs[0].result()
    said = sorted(str(run.exception()) for run in runs)
    assert said[0].startswith("stopped by SIGINT after ") and said[1] == "stopped by SIGINT before it began"
    assert {run.exception().code for run in runs} == {75} and len(masing.simulate(**SMALL).x) == 2001


@pytest.mark.parametrize("setting, ended", [("1", []), ("0", [75])])
def test_progress_is_shown_and_what_the_display_raises_ends_the_run(monkeypatch, setting, ended):
    monkeypatch.setenv("MASING_MODULE", setting)
    seen, codes, wait = [], [], subprocess.Popen.wait
    monkeypatch.setattr(masing.commands, "_display", lambda: seen.append)
    masing.simulate(cells=20000, final_time=20, steps=150000)
    assert len(seen) >= 1 and seen[-1] is None and all(" steps/s " in line and line[0] == "[" for line in seen[:-1])
    seen.clear()
    masing.simulate(**SMALL)
    assert seen == []

    def fails(line):
        if line:
            raise KeyboardInterrupt(line)
    monkeypatch.setattr(masing.commands, "_display", lambda: fails)
    monkeypatch.setattr(subprocess.Popen, "wait", lambda process, *given: codes.append(wait(process, *given)))
    with pytest.raises(KeyboardInterrupt, match="steps/s"):
        masing.simulate(**LONG)
    assert codes == ended


RUN = ("run = masing.simulate(**options)\n"
       "sys.stdout.write(f'{run.x[-1]} {\"_masing\" in run.provenance[\"command_line\"]}\\n')\n"
       "sys.stdout.flush()\n")
MPI = "import ctypes; mpi = ctypes.CDLL('libmpi.so.40', mode=ctypes.RTLD_GLOBAL); mpi.MPI_Init(None, None)\n"


@pytest.mark.parametrize("text, launcher, here", [
    ("import h5py, masing\nmasing.native.module().start()  # as where Ctrl-C came when MPI had begun\n" + RUN +
     "import subprocess, threading; subprocess.run(['mpirun', '-n', '2', 'true'])\n"
     "os.fork() or sys.exit(0)\nos.wait()\n"
     "threading.Thread(target=masing.simulate, kwargs=options | {'steps': 10**8}, daemon=True).start()", (), True),
    ("import masing\nmasing.native.module()\nimport h5py\n" + MPI + RUN + "mpi.MPI_Finalize()", (), True),
    ("import masing\n" + RUN, ("mpirun", "-n", "2"), False),
    (MPI + "import masing\n" + RUN + "mpi.MPI_Finalize()", ("mpirun", "-n", "2"), True),
    ("import masing\nmasing.native.module()\n" + MPI + "mpi.MPI_Finalize()\n" + RUN, (), False),
    ("from types import SimpleNamespace as M; sys.modules['mpi4py.MPI'] = M(Is_finalized=lambda: True)\nimport masing\n"
     + RUN, (), False),
    ("import masing, multiprocessing as mp\nwith mp.get_context('spawn').Pool(2) as pool:\n"
     "    print(*{run.x[-1] for run in pool.starmap(masing.commands._result, [('simulate', (), options)] * 3)}, True)",
     (), True)])
def test_a_process_ends_well_whatever_it_is(text, launcher, here):
    x = masing.simulate(**SMALL).x[-1]
    lines = script(text, *launcher, OMPI_MCA_rmaps_base_oversubscribe="1")
    assert lines == [f"{x} {here}"] * (2 if launcher else 1)


def test_a_child_of_a_fork_has_the_module_where_its_parent_has_not_begun_and_else_the_program_and_one_warning():
    lines = script("""
import masing, multiprocessing as mp, warnings
def work(k0):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        runs = [masing.simulate(**options, force=1, k0=k0) for _ in range(2)]
    lines = [(str(each.message), each.filename) for each in said]
    return runs[1].x[-1], "_masing" in runs[1].provenance["command_line"], lines
for _ in range(2):
    with mp.get_context("fork").Pool(1) as pool:
        print(*pool.apply(work, [0.1]))
    masing.simulate(**options)
""")
    x = masing.simulate(**SMALL, force=1, k0=0.1).x[-1]
    assert lines[0] == f"{x} True []" and lines[1].startswith(f"{x} False [('this process is a fork ")
    assert lines[1].count("fork") == 2 and "get_context(\"spawn\"), or fork before" in lines[1]
    assert lines[1].endswith(", '<string>')]")


@pytest.mark.parametrize("end", ["os._exit(0)", "os.kill(os.getpid(), 9)"])
def test_a_process_that_is_ended_leaves_no_folder(end, tmp_path):
    lines = script("import masing\nif not os.fork():\n"
                   f"    masing.simulate(**options, output='{tmp_path}/run.h5')\n    {end}\nos.wait()\n"
                   f"if not os.fork():\n    masing.simulate(**options)\n    {end}\n"
                   "os.wait(); print(masing.simulate(**options).x[-1]); sys.stdout.flush(); os._exit(0)",
                   TMPDIR=str(tmp_path), MASING_MODULE="1")
    assert lines == [str(masing.simulate(**SMALL).x[-1])] and list(tmp_path.glob("masing-??????")) == []


def test_what_is_no_module_for_this_python_is_passed_over(tmp_path):
    shutil.copy(program.required(), tmp_path / "masing")
    for name in (Path(native.module().__file__).name, "_masing.cpython-27-linux.so", "_masing.abi3.so"):
        (tmp_path / name).write_bytes(b"another")
    assert script("import masing\n" + RUN, MASING_PROGRAM=str(tmp_path / "masing"))[0].endswith(" False")
