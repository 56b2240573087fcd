"""What --summary writes of how a command ended, whatever its end; what it does to files that are there."""

import json
import math
import re
import subprocess
import time

import pytest

RUN = ("simulate", "--cells=20", "--steps=1000", "--final-time=5", "--output=run.h5", "--quiet")
STUDY = ("converge", "--final-time=10", "--cells=30", "--levels=500,1000,2000", "--output=study.h5", "--quiet")
SCAN = ("scan", "--cells=10", "--steps=400", "--final-time=20", "--output=scan.h5", "--quiet")
KEYS = ["schema", "command", "exit_code", "message", "done", "result", "checkpoint", "continue", "seconds",
        "peak_memory_bytes", "ranks"]
PHASES = ["setup", "steps", "output", "seal", "rest", "communication", "wall"]


def summary(masing, *words, code=0, **options):
    """The summary of a call, which must end with a code, and its stderr."""
    process = masing(*words, "--summary=s.json", **options)
    assert process.returncode == code, process.stderr
    text = (masing.folder / "s.json").read_text(encoding="utf-8")
    found = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert (found["schema"], found["exit_code"]) == ("masing summary 1", code)
    assert not (masing.folder / "s.json.draft").exists()
    return found, process.stderr


@pytest.mark.parametrize("ranks", [None, 3])
def test_of_a_run_that_is_done(masing, ranks):
    found, _ = summary(masing, *RUN, ranks=ranks)
    assert list(found) == KEYS
    assert (found["command"], found["message"], found["result"]) == ("simulate", "", "run.h5")
    assert (found["checkpoint"], found["continue"]) == (None, None)
    assert found["done"] == {"count": 1000, "of": 1000, "unit": "steps", "text": "1000 of 1000 steps"}
    assert list(found["seconds"]) == PHASES and min(found["seconds"].values()) >= 0 < found["seconds"]["wall"]
    assert 1e7 < found["peak_memory_bytes"] < 1e10 and found["ranks"] == (ranks or 1)
    # Job scripts find each key on a line of its own.
    lines = (masing.folder / "s.json").read_text(encoding="utf-8").splitlines()
    assert '    "count": 1000,' in lines and '  "exit_code": 0,' in lines


def test_of_a_study(masing):
    found, _ = summary(masing, *STUDY)
    assert list(found) == [*KEYS, "verdict", "verdicts"]
    assert (found["verdict"], found["result"]) == ("as expected", "study.h5")
    assert found["done"] == {"count": 3, "of": 3, "unit": "comparisons", "text": "3 of 3 comparisons"}
    assert set(found["verdicts"]) == {"x", "y", "u", "u_cells"}
    x = found["verdicts"]["x"]
    assert (x["verdict"], x["expected"]) == ("as expected", "1")
    assert abs(x["order"] - 1) < 0.1 and 0 < x["uncertainty"] < 0.5
    assert found["verdicts"]["u_cells"]["expected"] is None
    other, said = summary(masing, *STUDY, "--expect-order=x=2", code=3, ranks=2)
    assert (other["verdict"], other["verdicts"]["x"]["expected"]) == ("not as expected", "2")
    assert other["result"] == "study.h5" and "masing: " not in said
    # An order of errors that are all zero is not known: no NaN in JSON.
    unknown, _ = summary(masing, *STUDY, "--force=0")
    assert unknown["verdicts"]["x"]["order"] is None


def test_of_a_scan_with_points_that_fail(masing):
    found, _ = summary(masing, *SCAN, "--over=mass=1,2")
    assert list(found) == [*KEYS, "failed_points"]
    assert found["failed_points"] == 0
    assert found["done"] == {"count": 2, "of": 2, "unit": "points", "text": "2 of 2 points"}
    failing, said = summary(masing, *SCAN, "--over=a=1,2", "--force=cos(t)", "--stiffness=1.5-a", code=1)
    assert (failing["failed_points"], failing["result"]) == (1, "scan.h5")
    assert said.splitlines()[-1] == "masing: " + failing["message"]


def test_of_a_scan_that_is_stopped_counts_the_steps_of_its_point(masing):
    words = ("scan", "--cells=20", "--over=mass=1", "--steps=60000000", "--quiet", "--output=scan.h5")
    found, _ = summary(masing, *words, "--wall-limit=0.5", code=75)
    assert re.fullmatch(r"0 of 1 points and \d+ steps", found["done"]["text"])


def test_of_a_run_that_is_stopped_says_how_to_go_on(masing):
    # A value may be a word of its own.
    words = ("simulate", "--cells=20", "--steps=60000000", "--final-time=500", "--output", "run.h5", "--quiet",
             "--wall-limit", "1")
    found, said = summary(masing, *words, code=75, ranks=3)
    assert "masing: " + found["message"] in said.splitlines()
    assert found["message"].startswith(f"stopped by the wall limit after {found['done']['count']} of 60000000 ")
    assert found["done"]["of"] == 60000000 and found["done"]["count"] > 0
    assert (found["result"], found["checkpoint"]) == (None, "run.h5.checkpoint")
    assert found["continue"] == [str(masing.program), *words, "--summary=s.json", "--restart", "run.h5.checkpoint"]
    assert masing(*found["continue"][1:], ranks=3).returncode == 75
    again = json.loads((masing.folder / "s.json").read_text(encoding="utf-8"))
    assert again["done"]["count"] > found["done"]["count"] and again["continue"] == found["continue"]


@pytest.mark.parametrize("words", [(*STUDY[:1], "--levels=500000,1000000,2000000", "--final-time=1000", "--cells=20"),
                                   ("scan", "--over=mass=1:2:100", "--cells=10", "--steps=1000000")])
def test_of_a_study_or_a_scan_that_is_stopped(masing, words):
    begin = time.monotonic()
    found, _ = summary(masing, *words, "--output=it.h5", "--quiet", "--wall-limit=0:0:1", "--checkpoint=c.h5", code=75)
    assert found["checkpoint"] == "c.h5" and found["continue"][-2:] == ["--restart", "c.h5"]
    assert found["done"]["of"] == (100 if words[0] == "scan" else 3)
    done = f"stopped by the wall limit after {found['done']['count']} of {found['done']['of']} {found['done']['unit']}"
    assert found["message"].startswith(done) and found["message"].endswith("; the same with restart = c.h5 goes on")
    assert time.monotonic() - begin > 1


def test_of_a_mistake_that_only_sampling_shows(masing):
    masing.file("s.json", '{"schema": "masing summary 1"}')
    found, said = summary(masing, *RUN, "--stiffness=0.5-s", code=2, ranks=2)
    assert found["message"].startswith("--stiffness: ") and "masing: " + found["message"] in said.splitlines()
    assert (found["result"], found["continue"], found["done"]["count"]) == (None, None, 0)


def test_of_a_failure(masing):
    """A file may have no more than 64 KiB, which is less than the result and more than the summary."""
    words = " ".join((*RUN, "--sample-every=1", "--steps=20000", "--summary=s.json")).replace("--steps=1000 ", "")
    limited = f"ulimit -f 64; exec {masing.program} {words}"
    process = subprocess.run(["bash", "-c", limited], cwd=masing.folder, capture_output=True, text=True, check=False)
    found = json.loads((masing.folder / "s.json").read_text(encoding="utf-8"))
    assert process.returncode == found["exit_code"] == 1
    assert found["message"].startswith("run.h5") and "masing: " + found["message"] in process.stderr.splitlines()
    assert (found["result"], found["continue"]) == (None, None)


@pytest.mark.parametrize("content", ["not a summary\n", '{"schema": "another"}', "[1]"])
def test_another_file_of_its_name_stays(masing, content):
    masing.file("s.json", content)
    assert "no summary of masing" in masing.refused(*RUN, "--summary=s.json")
    assert (masing.folder / "s.json").read_text(encoding="utf-8") == content
    assert masing.names() == ["s.json"]


@pytest.mark.parametrize("name", ["./run.h5", "run.h5.checkpoint", "case.ini", "none/s.json"])
def test_it_is_no_other_file_of_the_run_and_has_a_folder(masing, name):
    masing.file("case.ini", "mass = 2\n")
    assert "--summary" in masing.refused(*RUN, "--config=case.ini", f"--summary={name}")
    assert masing.names() == ["case.ini"]


def test_one_that_cannot_be_written_is_a_failure(masing):
    (masing.folder / "s.json.draft").mkdir()
    process = masing(*RUN, "--summary=s.json", ranks=2)
    assert process.returncode == 1 and "cannot write the summary s.json: " in process.stderr
    assert "run.h5" in masing.names() and "s.json" not in masing.names()


def test_it_is_no_key_of_an_ini_and_not_in_the_file(masing):
    masing.file("case.ini", "summary = s.json\n")
    assert "summary" in masing.refused(*RUN, "--config=case.ini")
    assert "summary" not in masing.done(*RUN, "--summary=s.json", "--print-config").stdout
    assert not (masing.folder / "s.json").exists()
    assert math.isfinite(summary(masing, *RUN)[0]["seconds"]["wall"])
