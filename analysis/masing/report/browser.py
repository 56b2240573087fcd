"""Chromium without a window: printing a page to PDF."""

import shutil
import subprocess
import tempfile
from pathlib import Path

from masing.command_line import write_file
from masing.errors import MasingError

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# Nothing from the network, no first-run dialogues; root may not use the sandbox.
OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
           "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage")
TIME_LIMIT = 120


def find():
    """The path of Chromium or a browser like it, or None."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def required():
    """The path of Chromium; raises MasingError when there is none."""
    if found := find():
        return found
    raise MasingError("--pdf needs Chromium, which is not installed: apt-get install chromium; or leave out --pdf "
                      "and print the page from any browser")


def run(browser, *arguments):
    """Run the browser with a profile that is thrown away; its CompletedProcess, with bytes on stdout and stderr.
    Raises MasingError when it does not end."""
    with tempfile.TemporaryDirectory(prefix="masing-browser-", ignore_cleanup_errors=True) as profile:
        try:
            return subprocess.run([browser, *OPTIONS, f"--user-data-dir={profile}", *arguments], capture_output=True,
                                  timeout=TIME_LIMIT, stdin=subprocess.DEVNULL, check=False)
        except subprocess.TimeoutExpired:
            raise MasingError(f"{browser}: did not end in {TIME_LIMIT} s; print the page from any browser") from None


def print_pdf(browser, page, path):
    """Print the HTML file `page` to the PDF `path`; raises MasingError when the browser does not."""
    with tempfile.TemporaryDirectory(prefix="masing-pdf-") as folder:
        printed = Path(folder) / "page.pdf"
        done = run(browser, "--no-pdf-header-footer", f"--print-to-pdf={printed}", page.resolve().as_uri())
        if done.returncode != 0 or not printed.is_file():
            why = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise MasingError(f"{path}: {browser} did not print the page: {why[-1] if why else 'it gave no reason'}")
        write_file(path, printed.read_bytes() + b"% of masing\n")
