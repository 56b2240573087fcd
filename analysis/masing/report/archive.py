"""Write an archive for artefact evaluation: page, results, cases, source, and a script that computes them again."""

import hashlib
import io
import subprocess
import zipfile
from pathlib import Path

from masing.command_line import write_file
from masing.errors import MasingError
from masing.program import ROOT
from masing.tables import ARRAY
from masing.report.page import render
from masing.report.pictures import files_of
from masing.report.provenance import is_dirty

SCRIPT, SUMS = "reproduce.sh", "SHA256SUMS"
# All files in the archive get this date, so that archives of the same files consist of the same bytes.
EPOCH = (1980, 1, 1, 0, 0, 0)


def write_archive(path, title, page, parts, runs):
    """Write to `path` the archive of the page that is in the file `page` and has this title.

    parts: the Pictures and Texts beside the page. runs: the Runs, Studies and Scans on it. Raises MasingError if two of
    their files have the same name but different contents.
    """
    content = {f"page/{page.name}": page.read_bytes()}
    content |= {f"page/{page.stem}-files/{name}": data for name, data in files_of(parts).items()}
    for run in runs:
        name = f"results/{run.path.name}"
        if name in content and content[name] != run.path.read_bytes():
            raise MasingError(f"--archive: two results are called {run.path.name}; rename one of them")
        content |= {name: run.path.read_bytes(), f"cases/{run.path.stem}.ini": run.configuration.encode("utf-8")}
        content |= _records(run) if run.attributes("samples") and run.records is not None else {}
    source, words = _source(runs)
    content |= source
    for name, template in (("README.md", "archive-readme.md.j2"), (SCRIPT, "reproduce.sh.j2")):
        text = render(template, title=title, page=page.stem, source=next(iter(source), None), words=words)
        content[name] = f"{text}\n".encode("utf-8")
    sums = [f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(content.items())]
    content[SUMS] = "".join(sums).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in content.items():
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr = (0o755 if name == SCRIPT else 0o644) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    write_file(path, buffer.getvalue())


def _records(scan):
    """Return {name in the archive: bytes} for the records that a Scan has read from files; MasingError if not there."""
    found = {}
    for path in scan.records["path"][scan.records["points"].notna()]:
        places = [folder / path for folder in (scan.path.parent, Path(scan.attributes("samples")["folder"]))]
        place = next((each for each in places if each.is_file()), None)
        if path.startswith(ARRAY):
            continue
        if place is None or Path(path).is_absolute() or ".." in Path(path).parts:
            raise MasingError(f"--archive: the record {path} of {scan.path} is not in the folder of the samples or of "
                              "the file, where an archive could hold it")
        found[f"results/{path}"] = place.read_bytes()
    return found


def _source(runs):
    """Return {name: bytes} with the source of the program as one tar file, and a text that describes this source.

    It is empty unless one revision without uncommitted changes computed all results, and git has this revision.
    """
    revisions = {str(run.provenance.get("git_revision", "unknown")) for run in runs}
    if len(revisions) > 1 or any(is_dirty(run.provenance) for run in runs):
        return {}, "no source: the results are of several revisions, or of one with uncommitted changes"
    (revision,) = revisions
    command = ["git", "-C", str(ROOT), "archive", "--format=tar.gz", f"--prefix=masing-{revision}/", revision]
    try:
        archived = subprocess.run(command, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return {}, f"no source: git has no revision {revision} here"
    return {f"source/masing-{revision}.tar.gz": archived}, f"the source of revision {revision}"
