"""The page in a real browser without a window, as wide as a desk's and as a phone's."""

import json
import re
import shutil
import subprocess

import matplotlib
import pytest

import report
from synthetic import fit, fitted, jointly, ladder, staircase, write_study

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
BROWSER = next((found for name in NAMES if (found := shutil.which(name))), None)
# Nothing from the network, no first-run dialogues; root may not use the sandbox.
OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
           "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed (apt-get install chromium)")

WIDTHS = (1100, 1000, 390)
# Looks at the pages in frames of the widths, all its folds open, and leaves what it found as the document's text.
PROBE = """<!DOCTYPE html><meta charset="utf-8"><body>%s<script>
const found = [];
onload = () => {
  for (const frame of document.querySelectorAll("iframe")) {
    const page = frame.contentDocument;
    page.querySelectorAll("details").forEach(fold => fold.open = true);
    const wide = [...page.body.querySelectorAll("*")].filter(
      e => e.getBoundingClientRect().right > frame.width && !e.closest(".scroll, pre"));
    found.push({
      width: Number(frame.width),
      cut: [...page.querySelectorAll(".scroll:not(:has(.numbers))")].filter(
        s => frame.width > 600 && s.scrollWidth > s.clientWidth).map(s => s.innerText),
      inner: page.documentElement.clientWidth, scroll: page.documentElement.scrollWidth,
      images: page.images.length, wide: wide.map(e => e.outerHTML.slice(0, 80)),
      missing: [...page.images].filter(i => !i.complete || i.naturalWidth == 0 || i.width < 100).length,
      tall: [...page.querySelectorAll("figcaption")].filter(
        c => c.getBoundingClientRect().height > 3.5 * parseFloat(getComputedStyle(c).lineHeight)).map(c => c.innerText),
      shrunk: [...page.images].filter(i => i.width < 0.8 * i.naturalWidth).map(i => i.alt),
      silent: [...page.images].filter(i => !i.alt).length,
      verdicts: [...page.querySelectorAll(".verdict")].filter(v => v.getBoundingClientRect().height > 10)
        .map(v => v.innerText)});
  }
  document.body.innerText = JSON.stringify(found);
};
</script>"""


@pytest.fixture(scope="module")
def found(tmp_path_factory, papers_case, whole_run):
    """What the browser finds at each width on a page with everything on it, which must not make it complain."""
    path = tmp_path_factory.mktemp("pages")
    good = write_study(path / "good.h5", staircase(), fitted() | jointly(), papers_case)
    bad = write_study(path / "bad-with-quite-a-long-name-of-its-file.h5", ladder(8, 0.5), fit(0.5, "not as expected"),
                      papers_case, force="triangle(t)+" * 20 + "0.1")
    with matplotlib.rc_context({"figure.constrained_layout.use": True}):  # as for a user
        report.main([*map(str, (good, bad, whole_run)), "--files-only", "--page-only", "-o", str(path / "page.html")])
    probe = path / "probe.html"
    frames = "".join(f'<iframe width="{width}" height="900" src="page.html"></iframe>' for width in WIDTHS)
    probe.write_text(PROBE % frames, encoding="utf-8")
    done = subprocess.run([BROWSER, *OPTIONS, f"--user-data-dir={path / 'profile'}", "--allow-file-access-from-files",
                           "--enable-logging=stderr", "--v=0", "--window-size=1100,900", "--dump-dom", probe.as_uri()],
                          capture_output=True, timeout=600, stdin=subprocess.DEVNULL, check=True)
    assert b"CONSOLE" not in done.stderr, done.stderr.decode()
    text = re.search(r"\[.*\]", done.stdout.decode("utf-8"))[0].replace("&lt;", "<").replace("&gt;", ">")
    return {facts["width"]: facts for facts in json.loads(text)}


def test_the_page_fits(found):
    # Two pictures of errors; cycle; u; motion of two problems; energy.
    images = 2 + 1 + 1 + 2 + 1
    verdicts = ["1 of 2 studies as expected", "1 of 2 studies not as expected"] + ["as expected", "not as expected"] * 2
    for width in WIDTHS:
        facts = found[width]
        assert facts["inner"] <= width and facts["scroll"] <= facts["inner"], facts["wide"]
        assert (facts["images"], facts["missing"], facts["silent"], facts["verdicts"]) == (images, 0, 0, verdicts)
        # On a desk the tables of orders are seen without scrolling.
        assert facts["cut"] == facts["shrunk"] == []
        # On a desk a caption has three lines at most.
        assert width < max(WIDTHS) or facts["tall"] == []
