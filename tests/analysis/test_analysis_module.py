"""Running in the process gives what the program gives, to the bit, and leaves no file, no message and no MPI behind;
and what editors, help() and checkers of types know of the functions are the options of the program's own help, which is
read here in another way than by the package."""

import ast
import copy
import gc
import inspect
import math
import os
import re
import signal
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import masing
from masing import native, program
from outputs import ANALYSIS, lines_of
from result_files import contents

pytestmark = [pytest.mark.skipif(native.module() is None, reason="no module beside the program"),
              pytest.mark.filterwarnings("ignore:with a step of", "ignore:.*sampled at")]

SMALL = {"cells": 20, "final_time": 20, "steps": 2000}
LONG = {"cells": 20000, "final_time": 200, "steps": 3000000}  # minutes
T = np.linspace(0, 20, 30)
COMMANDS = ("simulate", "converge", "scan")


@pytest.mark.parametrize("command, options", [
    ("simulate", {**SMALL, "field_every": 500, "energy": True, "k0": 0.25, "scheme": "leapfrog",
                  "rule": "midpoint", "let": {"a": 0.3}, "stiffness": "1+a*s", "initial_u": "s/20", "start": 5,
                  "force": (T, np.sin(T) / 3), "threshold": "0.2+0.5*s^2", "threshold_down": "s+0.2"}),
    # Three slabs that are kept apart, although they differ at their start or downwards alone.
    *(("simulate", {"cells": math.inf, "final_time": 30, "steps": 3000, "stiffness": "2-s", "threshold": "0.2+0.5*s^2",
                    "force": "sin(t)", **other}) for other in ({}, {"initial_u": "0.05"},
                                                               {"threshold_down": "0.5*s+0.1"})),
    ("simulate", {"config": "[let]\na = 0.3\n", "cells": 10, "final_time": "60*a", "steps": 300, "sample_every": 7}),
    ("converge", {"refine": "cells", "levels": [25, 50, 100], "reference": "cells-inf", "final_time": 9, "steps": 900}),
    ("scan", {"over": {"w": [0.5, 1, 2]}, "force": "0.1*sin(w*t)", **SMALL, "keep": "series"})])
def test_the_numbers_are_the_program_s_to_the_bit(command, options, monkeypatch, tmp_path):
    here = getattr(masing, command)(**options, output=None)
    with monkeypatch.context() as patch:
        patch.setenv("MASING_MODULE", "0")
        there = getattr(masing, command)(**options)
    assert "_masing" in here.provenance["command_line"] and "_masing" not in there.provenance["command_line"]
    expected = contents(there.path)
    assert len(expected) > 20
    assert contents(here.path) == contents(here.save(tmp_path / "saved.h5")) == expected
    assert repr(here) == repr(there)
    written = getattr(masing, command)(**options, output=tmp_path / "output.h5")
    assert command != "scan" or here.messages == written.messages == []
    assert contents(tmp_path / "output.h5") == expected


def test_without_output_there_is_no_file_until_its_path_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    run = masing.simulate(**SMALL, field_every=500)
    run.to_dataframe(), run.plot_cycle(), str(run), run.settings, run.u
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(masing.MasingError, match=r"^what masing.simulate\(\) gave: has no dataset field/v; it has"):
        run["field/v"]
    later = masing.simulate(**SMALL, force=1, initial_u=run, field_every=2000)
    assert np.array_equal(later.u[0], run.last_u)
    file = run.path
    assert file.exists() and run.path == file
    del run, later
    gc.collect()
    assert not file.parent.exists()


def test_a_temporary_file_of_ranks_is_there_as_long_as_a_result_has_it():
    large = {"cells": 40000, "final_time": 20, "steps": 50}  # with fewer cells one rank would make it
    expected = masing.simulate(**large)
    run = masing.simulate(**large, ranks=2)
    assert run.provenance["ranks"] == 2
    copies, folder = (copy.copy(run), copy.deepcopy(run)), run.path.parent
    if not os.fork():  # a child that ends as a script does
        del run
        gc.collect()
        os._exit(0)
    os.wait()
    assert folder.exists()
    del run
    gc.collect()
    assert not folder.exists()
    for other in copies:
        np.testing.assert_array_equal(other.x, expected.x)
        assert other.path.exists() and other.settings == expected.settings


def test_a_result_that_the_memory_cannot_hold_is_refused_before_the_first_step():
    with pytest.raises(masing.MasingError, match="^output: the result in memory needs 8000 GB") as caught:
        masing.simulate(cells=10, final_time=2, steps=10**12, sample_every=1)
    assert caught.value.code == 2


def test_a_wall_limit_ends_its_own_call_alone(tmp_path):
    with pytest.raises(masing.MasingError, match="stopped by the wall limit") as caught:
        masing.simulate(**SMALL, wall_limit=1e-4, checkpoint=tmp_path / "c.h5", output=tmp_path / "r.h5")
    assert caught.value.code == 75
    masing.simulate(**SMALL)


def test_the_folder_of_a_stopped_run_stays_and_that_of_a_refused_one_does_not(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for options, code, left in (({"stiffness": "s-2"}, 2, 0), ({}, 75, 1)):
        with pytest.raises(masing.MasingError) as caught:
            masing.simulate(**SMALL | options, wall_limit=1e-4)
        assert (caught.value.code, len(list(tmp_path.glob("masing-run-*")))) == (code, left)


def test_threads_take_turns_and_give_the_same_while_others_go_on():
    count, is_over = [0], threading.Event()

    def others():
        while not is_over.wait(0.001):
            count[0] += 1

    def work(k0):
        return masing.simulate(cells=20000, final_time=20, steps=1000, force="sin(t)", k0=k0).x
    threading.Thread(target=others).start()
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(work, np.arange(6) / 10))
    is_over.set()
    assert count[0] > 10
    for one, other in zip(together, map(work, np.arange(6) / 10)):
        np.testing.assert_array_equal(one, other)


def test_ctrl_c_ends_a_run_and_the_next_one_is_made():
    x = masing.simulate(**SMALL).x
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        masing.simulate(**LONG)
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        threading.Event().wait(5)
    np.testing.assert_array_equal(masing.simulate(**SMALL).x, x)


def test_progress_is_shown_and_what_the_display_raises_ends_the_run(monkeypatch):
    seen = []
    monkeypatch.setattr(masing.commands, "_display", lambda: seen.append)
    masing.simulate(cells=20000, final_time=20, steps=150000)
    assert len(seen) >= 1 and seen[-1] == "" and all(" steps/s " in line and line[0] == "[" for line in seen[:-1])

    def fails(line):
        if line:
            raise KeyboardInterrupt(line)
    monkeypatch.setattr(masing.commands, "_display", lambda: fails)
    with pytest.raises(KeyboardInterrupt, match="steps/s"):
        masing.simulate(**LONG)


RUN = ("import sys\noptions = dict(cells=20, final_time=20, steps=2000)\nrun = masing.simulate(**options)\n"
       "sys.stdout.write(f'{run.x[-1]} {\"_masing\" in run.provenance[\"command_line\"]}\\n')\n"
       "sys.stdout.flush()\n")
MPI = "import ctypes; mpi = ctypes.CDLL('libmpi.so.40', mode=ctypes.RTLD_GLOBAL); mpi.MPI_Init(None, None)\n"


@pytest.mark.first(2)
@pytest.mark.parametrize("text, launcher, here", [
    ("import h5py, masing, os\nmasing.native.module().start()  # as where Ctrl-C came when MPI had begun\n" + RUN +
     "import subprocess, threading; subprocess.run(['mpirun', '-n', '2', 'true'])\n"
     "os.fork() or sys.exit(0)\nos.wait()\n"
     "threading.Thread(target=masing.simulate, kwargs=options | {'steps': 10**8}, daemon=True).start()", (), True),
    ("import masing\nmasing.native.module()\n" + MPI + "mpi.MPI_Finalize()\n" + RUN, (), False),
    (MPI + "import masing\n" + RUN + "mpi.MPI_Finalize()", ("mpirun", "-n", "2"), True),
    ("import masing\n" + RUN, ("mpirun", "-n", "2"), False)])
def test_a_process_ends_well_whatever_it_is(text, launcher, here):
    x = masing.simulate(**SMALL).x[-1]
    lines = lines_of(text, *launcher, OMPI_MCA_rmaps_base_oversubscribe="1")
    assert lines == [f"{x} {here}"] * (2 if launcher else 1)


def options(command):
    """{keyword: default or None} of a command, as its help shows them."""
    found = {}
    for block in re.split(r"\n  --", program.run(program.required(), command, "--help").printed)[1:]:
        name = block.split()[0].replace("-", "_")
        default = re.search(r" \[([^][]*)\]\n", block.partition("\n\n")[0] + "\n")
        found[{"from": "start", "to": "end"}.get(name, name)] = default and default[1]
    return found


@pytest.mark.parametrize("command", COMMANDS)
def test_a_signature_has_the_options_of_the_programs_help(command):
    known, parameters = options(command), inspect.signature(getattr(masing, command)).parameters
    assert set(parameters) == set(known) - {"help", "table"} | {"ranks", "tables"} and len(known) > 30
    assert {each.kind for each in parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}
    for name, default in known.items():
        if default is not None and name != "output":
            shown = parameters[name].default
            assert shown == float(default) if isinstance(shown, (int, float)) else shown == default, name
    documented = inspect.getdoc(getattr(masing, command)).partition("Options, ")[2].splitlines()[2:]
    assert [re.match(r" +(\w+)", line)[1] for line in documented] == list(parameters)
    assert parameters["quiet"].default is False and parameters["output"].default is None


def test_importing_initializes_no_mpi_and_all_names_are_there():
    assert lines_of("import masing\nmasing.MaterialPoint(masing.Material()).move_to(1)\n"
                    "print(masing.native.module().mpi() == '')") == ["True"]
    assert {"Run", "Study", "Scan", "simulate", "open", "MasingError"} <= set(masing.__all__) <= set(dir(masing))
    assert program.run(program.required(), "--version").printed.startswith(f"masing {masing.__version__}\n")


def test_the_stub_has_the_names_and_the_options():
    tree = ast.parse((ANALYSIS / "masing" / "__init__.pyi").read_text(encoding="utf-8"))
    named = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    imported = {each.name for node in tree.body
                if isinstance(node, ast.ImportFrom) and node.module.startswith("masing.") for each in node.names}
    assert imported | set(COMMANDS) == set(masing.__all__)

    def keys(name):
        node = named[name]
        inherited = [key for base in node.bases if base.id in named for key in keys(base.id)]
        return inherited + [line.target.id for line in node.body]

    for command, result in zip(COMMANDS, ("Run", "Study", "Scan")):
        node = named[command]
        assert sorted(keys(node.args.kwarg.annotation.slice.id)) == sorted(
            inspect.signature(getattr(masing, command)).parameters)
        assert node.returns.id == result
