"""The archive of a page: all is there, and its script makes the results again."""

import subprocess
import zipfile

import h5py

import report
from synthetic import fit, ladder, write_run, write_study


def archive(folder, *files):
    """Write a page on the files with its archive, unpack it, and give the folder."""
    report.main([*map(str, files), "--files-only", "--archive", str(folder / "a.zip"), "-o", str(folder / "page.html")])
    with zipfile.ZipFile(folder / "a.zip") as archived:
        archived.extractall(folder / "unpacked")
    return folder / "unpacked"


def reproduce(folder, masing):
    """Run the archive's script with a program that is built; gives (exit code, output)."""
    done = subprocess.run(["bash", "reproduce.sh"], cwd=folder, capture_output=True, text=True, check=False,
                          env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "MASING_PROGRAM": str(masing)})
    return done.returncode, done.stdout + done.stderr


def test_an_archive_has_its_parts(tmp_path, papers_case):
    study = write_study(tmp_path / "study.h5", ladder(), fit(), papers_case)
    unpacked = archive(tmp_path, study, write_run(tmp_path / "50 % öfter.h5", papers_case))
    names = {str(path.relative_to(unpacked)) for path in unpacked.rglob("*") if path.is_file()}
    assert {"README.md", "reproduce.sh", "SHA256SUMS", "packages.txt", "page/page.html",
            "page/page-files/study-errors.pdf", "results/study.h5", "results/50 % öfter.h5", "cases/study.ini"} <= names
    assert (unpacked / "results/study.h5").read_bytes() == study.read_bytes()
    assert "model = masing" in (unpacked / "cases/study.ini").read_text()
    listed = {line.split("  ")[1] for line in (unpacked / "SHA256SUMS").read_text().splitlines()}
    assert listed == names - {"SHA256SUMS"}
    words = (unpacked / "README.md").read_text()
    assert "| `study.h5` | 0.1.0 | 0123abc | 2001-02-03 |" in words
    assert "uncommitted" not in words.split("Machine")[0][-200:]


def test_the_script_makes_the_results_again(tmp_path, masing, result_of):
    folder = archive(tmp_path, result_of("simulate", "run.h5", "--cells=5", "--steps=200", "--final-time=2"))
    code, said = reproduce(folder, masing)
    assert code == 0 and said.endswith("1 of 1 results reproduced bit for bit\n") and "as in SHA256SUMS" in said
    with h5py.File(folder / "results/run.h5", "a") as file:
        file["series/x"][3] += 1e-12
    code, said = reproduce(folder, masing)
    assert code != 0 and "results/run.h5: FAILED" in said
    sums = folder / "SHA256SUMS"
    sums.write_text("".join(line for line in sums.read_text().splitlines(True) if "run.h5" not in line))
    code, said = reproduce(folder, masing)
    assert code == 1 and "0 of 1 results reproduced bit for bit\n" in said and "/series/x" in said


def test_results_of_one_name_are_refused(run_script, tmp_path, papers_case):
    (tmp_path / "other").mkdir()
    files = write_run(tmp_path / "run.h5", papers_case), write_run(tmp_path / "other" / "run.h5", papers_case, cells=7)
    code, _, err = run_script(report, *files, "--files-only", "--archive", tmp_path / "a.zip", "-o", tmp_path / "p.html")
    assert code == 2 and "two results are called run.h5" in err and not (tmp_path / "a.zip").exists()
