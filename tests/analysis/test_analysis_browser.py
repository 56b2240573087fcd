"""The page in a real browser without a window, as wide as a desk's and as a phone's, and printed."""

import json
import re

import pytest

import gallery
import report
from masing.report import browser
from synthetic import (NAN, add_energy, add_field, fit, fitted, jointly, ladder, staircase, write_model, write_run,
                       write_study)

pytestmark = pytest.mark.skipif(browser.find() is None, reason="no Chromium is installed (apt-get install chromium)")

WIDTHS = (1000, 390)
# Looks at the page in frames of the widths, all its folds open, and leaves what it found as the document's text.
PROBE = """<!DOCTYPE html><meta charset="utf-8"><body>%s<script>
const found = {};
onload = () => {
  for (const frame of document.querySelectorAll("iframe")) {
    const page = frame.contentDocument;
    page.querySelectorAll("details").forEach(fold => fold.open = true);
    const wide = [...page.body.querySelectorAll("*")].filter(
      e => e.getBoundingClientRect().right > frame.width && !e.closest(".scroll, pre"));
    found[frame.width] = {
      inner: page.documentElement.clientWidth, scroll: page.documentElement.scrollWidth,
      images: page.images.length, wide: wide.map(e => e.outerHTML.slice(0, 80)),
      missing: [...page.images].filter(i => !i.complete || i.naturalWidth == 0 || i.width < 100).length,
      silent: [...page.images].filter(i => !i.alt).length,
      verdicts: [...page.querySelectorAll(".verdict")].filter(v => v.getBoundingClientRect().height > 10)
        .map(v => v.innerText)};
  }
  document.body.innerText = JSON.stringify(found);
};
</script>"""


def look(page):
    """What the browser finds on the page at each width; the page must not have made it complain."""
    frames = "".join(f'<iframe width="{width}" height="900" src="{page.name}"></iframe>' for width in WIDTHS)
    probe = page.with_name("probe.html")
    probe.write_text(PROBE % frames, encoding="utf-8")
    done = browser.run(browser.find(), "--allow-file-access-from-files", "--enable-logging=stderr", "--v=0",
                       "--window-size=1100,900", "--dump-dom", probe.as_uri())
    assert b"CONSOLE" not in done.stderr, done.stderr.decode()
    text = re.search(r"\{.*\}", done.stdout.decode("utf-8"))
    return {int(width): seen for width, seen in json.loads(text[0].replace("&lt;", "<").replace("&gt;", ">")).items()}


def is_in_order(seen, images, verdicts):
    """Check what look() found."""
    assert sorted(seen) == sorted(WIDTHS)
    for width, facts in seen.items():
        assert facts["inner"] <= width and facts["scroll"] <= facts["inner"], facts["wide"]
        assert (facts["images"], facts["missing"], facts["silent"]) == (images, 0, 0)
        assert facts["verdicts"] == verdicts


@pytest.fixture
def full_page(run_script, tmp_path, papers_case):
    """A page with everything on it, made with its files and its PDF; gives its path."""
    good = write_study(tmp_path / "good.h5", staircase(), fitted() | jointly(), papers_case)
    bad = write_study(tmp_path / "bad-with-quite-a-long-name-of-its-file.h5", ladder(8, 0.5),
                      fit(0.5, "not as expected"), papers_case, force="triangle(t)+" * 20 + "0.1")
    run = write_run(tmp_path / "run.h5", papers_case)
    add_field(run)
    add_energy(run)
    output = tmp_path / "page.html"
    arguments = (good, bad, run, write_model(tmp_path / "model.h5", papers_case))
    assert run_script(report, *arguments, "--files-only", "--pdf", "-o", output) == (0, f"{output}\n", "")
    return output


def test_a_page_with_everything_fits_and_prints(full_page):
    # errors, map, errors; work and time; cycles; u; motion of three problems and the file with u; energy
    is_in_order(look(full_page), 3 + 2 + 4 + 1 + 4 + 1, ["as expected", "not as expected"] * 2)
    printed = full_page.with_suffix(".pdf").read_bytes()
    assert printed.startswith(b"%PDF") and len(printed) > 20000
    # A4, in points, within a point
    boxes = {tuple(map(float, box.split())) for box in re.findall(rb"/MediaBox ?\[([^\]]*)\]", printed)}
    assert boxes and all(abs(w - 595.3) < 1 and abs(h - 841.9) < 1 for _, _, w, h in boxes)


def test_a_page_of_one_level_fits(run_script, tmp_path):
    study = write_study(tmp_path / "one.h5", ladder(1), fit(NAN, "undefined"))
    output = tmp_path / "page.html"
    assert run_script(report, study, "--files-only", "--page-only", "-o", output)[0] == 0
    is_in_order(look(output), 1, ["undefined"])


def test_the_gallery_fits(run_script, tmp_path, papers_case):
    write_run(tmp_path / "cycle.h5", papers_case)
    write_study(tmp_path / "study.h5", ladder(), fit())
    for name, text in (("cycle", "# A cycle.\ncells = 3\n"), ("study", "# A study.\nrefine = steps\n")):
        (tmp_path / f"{name}.ini").write_text(text)
    done = run_script(gallery, tmp_path / "cycle.ini", tmp_path / "study.ini", "--results", tmp_path, "--files-only")
    assert done[0] == 0
    is_in_order(look(tmp_path / "index.html"), 2, ["as expected"])
    is_in_order(look(tmp_path / "cycle.html"), 1, [])


def test_the_probe_finds_faults(tmp_path):
    page = tmp_path / "bad.html"
    page.write_text('<meta charset="utf-8"><img src="data:image/png;base64,AAAA" width="900">')
    seen = look(page)
    assert seen[390]["missing"] == 1 and seen[390]["silent"] == 1
    assert seen[390]["scroll"] > seen[390]["inner"] and seen[1000]["scroll"] == seen[1000]["inner"]
    page.write_text('<meta charset="utf-8"><script>console.error("wrong")</script>')
    with pytest.raises(AssertionError, match="wrong"):
        look(page)
