"""The gallery: what a case file says of itself, what is drawn of it, the pages and the index."""

import re

import h5py
import numpy as np
import pytest

import gallery
from html_page import Page, number
from masing import program
from masing.errors import MasingError
from masing.notation import in_figure
from masing.report.cases import PICTURES, parse_drawing, picture, read_case
from masing.report.problem import prose
from masing.results import Run
from synthetic import fit, ladder, write_run, write_study


def case(folder, name, text):
    """A case file with the text."""
    path = folder / f"{name}.ini"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_case_says_what_it_is(tmp_path):
    text = "# Figure 1, of\n# the paper.\n# draw: t, x; x, restoring from 1\nmass = 1\n# no\n"
    found = read_case(case(tmp_path, "a", text))
    assert (found.command, found.caption, found.name) == ("simulate", "Figure 1, of the paper.", "a")
    assert found.drawings == ["t, x", "x, restoring from 1"]
    assert read_case(case(tmp_path, "b", "# B.\nmass = 1\n")).drawings == ["x, restoring"]
    study = read_case(case(tmp_path, "c", "refine = cells\n"))
    assert (study.command, study.caption, study.drawings) == ("converge", "c", [])
    for text in ("# A.\nforce = cos(w*t)\n[over]\nw = 1,2\n", "# B.\nbackbone = X=1,2\n"):
        scan = read_case(case(tmp_path, "d", text))
        assert (scan.command, scan.drawings) == ("scan", [])


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


@pytest.mark.parametrize("words, curves, window", [
    ("x, restoring", [["x", "restoring"]], (-np.inf, np.inf)), ("t,x from 4 to 5.5", [["t", "x"]], (4, 5.5)),
    ("t, g1 and g2 to 1e3", [["t", "g1"], ["t", "g2"]], (-np.inf, 1000))])
def test_words_declare_drawings(words, curves, window):
    found = parse_drawing(words)
    assert found.curves == curves and (found.start, found.end) == window


@pytest.mark.parametrize("words, said", [
    ("t, a and b and c and d and e", "up to 4 curves"), ("t, x and z", "has no 'z'"), ("x", "give two names"),
    ("x, y, t", "give two names"), ("x, restoring from now", "a number"), ("x, z", "has no 'z' to draw; it has t, x"),
    ("x, y from 600", "400 <= t <= 500"), ("field", "nothing to draw"), ("energy", "nothing to draw")])
def test_mistakes_in_drawings_are_refused(run_file, words, said):
    with pytest.raises(MasingError, match=re.escape(said)):
        picture(Run(run_file), words)


def test_every_kind_of_drawing_shows_its_samples(result_of):
    short = ("--final-time=50", "--steps=5000", "--sample-every=20")
    path = result_of("simulate", "m.h5", *short, "--model=prandtl", "--set=k=1", "--set=eta=1")
    papers = Run(result_of("simulate", "e.h5", *short, "--cells=5", "--energy"))
    for words in ("x, restoring", "t, u from 45", "motion", "energy"):
        made = picture(papers if words == "energy" else Run(path), words)
        assert made.files["pdf"].startswith(b"%PDF") and ("P = 5" if words == "energy" else "prandtl") in made.alt
    with h5py.File(path) as file:
        (t, x), u = (file[f"series/{name}"][:] for name in "tx"), file["state/values"][:, 2]
    (axes,) = picture(Run(path), "t, u and x from 45 to 46").figure.axes
    assert [line.get_label() for line in axes.lines] == ["u", "x"] and axes.get_legend() is not None
    for line, values in zip(axes.lines, (u, x)):
        np.testing.assert_array_equal(line.get_data(), np.stack([t, values])[:, (t >= 45) & (t <= 46)])


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
    path = case(tmp_path, "s", "# draw: x, restoring; t, u\nmodel = prandtl\nforce = 2*cos(0.5*t)\nfinal-time = 30\n"
                "steps = 30000\nsample-every = 30\nfrom = 5\n[model]\nk = 1\neta = 1\n")
    result_of("simulate", "s.h5", "--config", path)
    run_script(gallery, path, "--results", tmp_path, "--program", masing)
    words = Page((tmp_path / "s.html").read_text(encoding="utf-8")).words
    assert "Seals were checked." in words
    # Errors of order one at a step of 1e-3.
    of_x, of_restoring, of_u = map(number, re.findall(r"([\d.]+·10[⁻⁰-⁹¹²³]+) in \w", words)[:3])
    assert all(1e-5 < apart < 0.05 for apart in (of_x, of_restoring, of_u)), words


def test_a_long_record_has_its_error_below_and_one_that_wanders_has_its_times_as_colours(tmp_path):
    t = np.linspace(0, 100, 4001)
    drifts, settled = np.sin(t) + 0.05 * t, np.sin(t)

    def figure_of(words, x):
        path = write_run(tmp_path / "r.h5", np.array([t, x, np.cos(t), np.cos(t), 2 * x]))
        exact = Run(write_run(tmp_path / "e.h5", np.array([t, x - 1e-3, np.cos(t), np.cos(t), 2 * x - 1e-3])))
        made = picture(Run(path), words, exact)
        assert "At most 10⁻³ in x" in made.caption
        return [[line.get_label() for line in axes.lines] for axes in made.figure.axes], made.figure

    for x in (drifts, settled):
        lines, figure = figure_of("t, x", x)
        assert [len(each) for each in lines] == [1, 1] and np.allclose(figure.axes[1].lines[0].get_ydata(), 1e-3)
    assert figure_of("x, restoring", settled)[0] == [["exact", "computed"]]
    lines, figure = figure_of("x, restoring", drifts)
    assert lines == [[], []] and figure.axes[1].get_ylabel() == "time t"


def test_a_narrow_loop_is_drawn_once_more_less_its_slope(tmp_path):
    """(cos t, 3 cos t + b sin t) less 3 x is b sin t: a part 2b/6 of the range of y, nearly."""
    t = 2 * np.pi * np.arange(4000) / 4000

    def frames_of(width, words="x, restoring"):
        wide = np.array([t, np.cos(t), t, t, 3 * np.cos(t) + width * np.sin(t)])
        exact = Run(write_run(tmp_path / "e.h5", wide + 1e-3))
        return picture(Run(write_run(tmp_path / "r.h5", wide)), words, exact).figure.axes

    _, below = frames_of(0.1)
    behind, line = below.lines
    assert np.allclose(line.get_ydata(), 0.1 * np.sin(t)) and below.get_ylabel() == "the same less 3 x"
    assert np.allclose(behind.get_ydata(), 0.1 * np.sin(t) + 1e-3 - 3e-3)
    # Wide loops, straight lines and curves over time have one frame.
    for width, words in ((1, "x, restoring"), (0, "x, restoring"), (0.1, "t, x")):
        assert len(frames_of(width, words)) == 1


def test_every_case_file_of_the_repository_can_be_read():
    cases = [read_case(path) for path in sorted((program.ROOT / "jobs" / "cases").glob("*.ini"))]
    assert cases and [case.path for case in cases if case.caption == case.name] == []
    # A title ends at its first full stop, so that it must have no abbreviation.
    titles = [case.caption.partition(". ")[0] for case in cases]
    assert [title for title in titles if len(title) < 20 or title.count("(") != title.count(")")] == []
    for words in (words for case in cases for words in case.drawings):
        assert words in PICTURES or parse_drawing(words)
