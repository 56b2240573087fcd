"""The gallery: what a case file says of itself, what is drawn of it, the pages and the index."""

import re

import numpy as np
import pytest

import gallery
from html_page import Page, number
from masing import program
from masing.notation import in_figure
from masing.report.cases import cycle_picture, read_case
from masing.report.problem import prose
from masing.results import Run
from synthetic import fit, ladder, write_run, write_study


def case(folder, name, text):
    """A case file with the text."""
    path = folder / f"{name}.ini"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_case_says_what_it_is(tmp_path):
    text = "# Figure 1, of\n# the paper.\n# draw: t, x\nmass = 1\n# no\n"  # older files have such a line
    found = read_case(case(tmp_path, "a", text))
    assert (found.command, found.caption, found.name) == ("simulate", "Figure 1, of the paper.", "a")
    study = read_case(case(tmp_path, "c", "refine = cells\n"))
    assert (study.command, study.caption) == ("converge", "c")
    assert read_case(case(tmp_path, "d", "# A.\nforce = cos(w*t)\n[over]\nw = 1,2\n")).command == "scan"


@pytest.mark.parametrize("typed, html", [
    ("F - m a_g, m x'' and eta'(s)", "F − m a<sub>g</sub>, m x″ and η′(s)"),
    ("φ^χ up to φ_max, φ^(-½), 10^-3", "φ<sup>χ</sup> up to φ<sub>max</sub>, φ<sup>−½</sup>, 10<sup>−3</sup>"),
    ("-eta_i, +-k eta, y0^2/2, (1+z)^0.5",
     "−η<sub>i</sub>, ±k η, y<sub>0</sub><sup>2</sup>/2, (1+z)<sup>0.5</sup>"),
    ("sqrt(1 + k0), P = inf, chi = -1/2", "√(1 + k<sub>0</sub>), P = ∞, χ = −1/2"),
    ("the papers' S-element of study-s1-p2.ini at t = 60", "the papers&#39; S-element of study-s1-p2.ini at t = 60"),
    ("better read_me.csv <x> 'a' --set max_x", "better read_me.csv &lt;x&gt; &#39;a&#39; --set max_x")])
def test_comments_are_typeset(typed, html):
    assert prose(typed) == html


def test_symbols_in_figures_have_their_index():
    assert in_figure("F(t) − m a_g(t)") == r"F(t) − m $\mathregular{a_{g}}$(t)"
    assert in_figure("u1") == r"$\mathregular{u_{1}}$" and in_figure("P = 3 x, max_x, k₀") == "P = 3 x, max_x, k₀"


def test_the_index_leads_to_every_page_and_a_group_begins_with_a_table_of_its_orders(run_script, tmp_path, papers_case,
                                                                                     undrawn):
    write_run(tmp_path / "cycle.h5", papers_case)
    write_study(tmp_path / "study.h5", ladder(order=0.5), fit(0.5, "not as expected", reference="exact"), papers_case)
    cases = [case(tmp_path, "cycle", "# A <cycle> of eta_i.\ncells = 3\n"),
             case(tmp_path, "study", "# A study of\n# group: Open orders\n# time.\nrefine = steps\n"),
             case(tmp_path, "lost", "# Lost.\n")]
    assert (read_case(cases[1]).group, read_case(cases[1]).caption) == ("Open orders", "A study of time.")
    assert run_script(gallery, *cases[:2], "--commands", "--results", tmp_path)[1].splitlines() == [
        f"simulate {cases[0]}", f"converge {cases[1]}"]
    code, _, err = run_script(gallery, *cases, "--results", tmp_path, "--files-only")
    assert code == 2 and "1 of 3 cases have no page" in err and "lost.h5" in err
    index = Page((tmp_path / "index.html").read_text(encoding="utf-8"))
    assert {"cycle.html", "study.html"} <= set(index.addresses) and len(index.alternatives) == 2
    assert [text[:6] for text in index.alternatives] == ["Log-lo", "Curve "]
    words = index.words
    assert "A <cycle> of η" in words and "not as expected" in words and "Lost. no page" in words
    assert words.index("Open orders") < words.index("p of x") < words.index("Other cases")
    assert "study 0.500 ± " in words[words.index("p of x"):words.index("Other cases")] and words.count("p of x") == 1
    html = (tmp_path / "cycle.html").read_text(encoding="utf-8")
    assert "<title>A &lt;cycle&gt; of ηi.</title>" in html and "A &lt;cycle&gt; of η<sub>i</sub>.</h1>" in html
    seen = " ".join(Page(html).seen.values())  # not folded
    assert "The problem" in seen and "x′ = y" in seen and "η(s)" in seen and "0.45*cos(0.5*t)" in seen
    assert "Verdict: not as expected." in Page((tmp_path / "study.html").read_text(encoding="utf-8")).words


def test_a_group_ends_with_what_its_work_prints(run_script, tmp_path, papers_case, undrawn):
    write_run(tmp_path / "cycle-fig06.h5", papers_case)
    path = case(tmp_path, "cycle-fig06", "# Figure 6 of the paper. By\n# Bastien, Lamarque and Schatzman (2001).\n")
    code, out, err = run_script(gallery, path, "--results", tmp_path, "--files-only")
    assert (code, out, err) == (0, f"{tmp_path / 'index.html'}\n", "")
    words = Page((tmp_path / "index.html").read_text(encoding="utf-8")).words
    assert "cycle-fig06. Figure 6 of the paper." in words and "§ 6, fig. 6" in words.partition("What the papers print")[2]
    words = Page((tmp_path / "cycle-fig06.html").read_text(encoding="utf-8")).words
    assert "Figure 6 of the paper By Bastien" in words


def test_a_model_is_drawn_over_its_exact_solution(run_script, tmp_path, masing, result_of, undrawn):
    path = case(tmp_path, "s", "model = prandtl\nforce = 2*cos(0.5*t)\nfinal-time = 30\n"
                "steps = 30000\nsample-every = 30\nfrom = 5\n[model]\nk = 1\neta = 1\n")
    result_of("simulate", "s.h5", "--config", path)
    run_script(gallery, path, "--results", tmp_path, "--program", masing)
    words = Page((tmp_path / "s.html").read_text(encoding="utf-8")).words
    assert "Seals were checked." in words
    # Errors of order one at a step of 1e-3.
    of_x, of_restoring = map(number, re.findall(r"([\d.]+·10[⁻⁰-⁹¹²³]+) in \w", words)[:2])
    assert all(1e-5 < apart < 0.05 for apart in (of_x, of_restoring)), words


def test_a_settled_cycle_is_drawn_over_the_exact_one_and_a_curve_that_wanders_has_its_times_as_colours(tmp_path):
    t = np.linspace(0, 100, 4001)

    def figure_of(x):
        path = write_run(tmp_path / "r.h5", np.array([t, x, np.cos(t), np.cos(t), 2 * x]))
        exact = Run(write_run(tmp_path / "e.h5", np.array([t, x - 1e-3, np.cos(t), np.cos(t), 2 * x - 1e-3])))
        made = cycle_picture(Run(path), exact)
        assert "At most 10⁻³ in x" in made.caption
        return [[line.get_label() for line in axes.lines] for axes in made.figure.axes], made.figure

    assert figure_of(np.sin(t))[0] == [["exact", "computed"]]
    lines, figure = figure_of(np.sin(t) + 0.05 * t)
    assert lines == [[], []] and figure.axes[1].get_ylabel() == "time t"


def test_a_narrow_loop_is_drawn_once_more_less_its_slope(tmp_path):
    """(cos t, 3 cos t + b sin t) less 3 x is b sin t: a part 2b/6 of the range of y, nearly."""
    t = 2 * np.pi * np.arange(4000) / 4000

    def frames_of(width):
        wide = np.array([t, np.cos(t), t, t, 3 * np.cos(t) + width * np.sin(t)])
        exact = Run(write_run(tmp_path / "e.h5", wide + 1e-3))
        return cycle_picture(Run(write_run(tmp_path / "r.h5", wide)), exact).figure.axes

    _, below = frames_of(0.1)
    behind, line = below.lines
    assert np.allclose(line.get_ydata(), 0.1 * np.sin(t)) and below.get_ylabel() == "the same less 3 x"
    assert np.allclose(behind.get_ydata(), 0.1 * np.sin(t) + 1e-3 - 3e-3)
    # Wide loops and straight lines have one frame.
    assert len(frames_of(1)) == len(frames_of(0)) == 1


def test_every_case_file_of_the_repository_can_be_read():
    cases = [read_case(path) for path in sorted((program.ROOT / "jobs" / "cases").glob("*.ini"))]
    assert cases and [case.path for case in cases if case.caption == case.name] == []
    # A title ends at its first full stop, so that it must have no abbreviation.
    titles = [case.caption.partition(". ")[0] for case in cases]
    assert [title for title in titles if len(title) < 20 or title.count("(") != title.count(")")] == []
