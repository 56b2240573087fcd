"""What a page says of an equation of motion with damping, on a moving base, without a mass: the model of the program's
own statement of it, m x″ = F − m a_g − k0 x − c x′ − S, and the names in its files."""

import pytest

import cycles
from masing.cycles.figures import together
from masing.names import motion
from masing.report.cases import picture
from masing.response import panels
from masing.results import Scan, read
from synthetic import write_run

SHORT = ("--cells=5", "--final-time=20", "--steps=2000")
DAMPED, BASE = "--damping=0.2", "--base-acceleration=0.3*sin(t)"
GEPHYROID = (*(f"--set=k{i}=1" for i in range(4)), *(f"--set=alpha{i}={i}" for i in (1, 2, 3)))
QUASISTATIC = "--model=masing-quasistatic"
ALONE, WITH_REST = "F − m x″", "k₀ x + S"


@pytest.mark.parametrize(("words", "force", "restoring"), [
    ((DAMPED, *SHORT), "F", WITH_REST), ((BASE, *SHORT), "F − m a_g", WITH_REST), (SHORT, "F", ALONE),
    (("--let=a=0", "--damping=0.0", "--base-acceleration=a", *SHORT), "F", ALONE),
    ((QUASISTATIC, *SHORT), "F", WITH_REST),
    (("--model=persoz-quasistatic", *GEPHYROID, *SHORT[1:]), "F", "F"),
    (("--model=friction-oscillator", "--set=k=1", "--set=alpha=0.3", *SHORT[1:]), "F", ALONE)])
def test_forces_are_called_as_the_file_calls_them(result_of, words, force, restoring):
    run = read(result_of("simulate", "run.h5", *words))
    found = motion(run)
    assert (found.force, found.restoring) == (force, restoring)
    for name in ("force", "restoring"):
        about = run.attributes(f"series/{name}")
        assert (about["symbol"], about["label"]) == (getattr(found, name), found.labels[name])


@pytest.mark.parametrize(("words", "said", "unsaid"), [
    ((DAMPED,), ["my′=F(t)−cy−k0x−∫", "mF(t)x(t)ck(s)", "therewithoutdamping.", "workofF:W", "x(t)andF(t)=0.45"],
     ["mag", "(x,F"]),
    ((BASE,), ["my′=F(t)−mag(t)−k0x−∫", "mF(t)x(t)ag(t)k(s)", "relativetothebase", "workofF−ma_g:W",
               "x(t)andF(t)−ma_g(t).x"], ["−cy", "workofF:"]),
    ((DAMPED, BASE), ["my′=F(t)−mag(t)−cy−k0x−∫", "withoutdampingandamovingbase.", "mF(t)x(t)cag(t)k(s)",
                      "Thecurves(x,k₀x+S)", "max|k₀x+S|"], ["F−mx″"]),
    ((), ["my′=F(t)−k0x−∫", "workofF:W", "Thecurves(x,F−mx″)", "max|F−mx″|", "mF(t)x(t)k(s)"],
     ["k₀x+S", "mag", "−cy", "without"])])
def test_a_page_has_the_terms_of_its_equation(result_of, page_of, words, said, unsaid):
    words = page_of(result_of("simulate", "run.h5", *SHORT, "--energy", *words)).words
    found = "".join(words.split())
    assert [text for text in said if text not in found] == [] and [text for text in unsaid if text in found] == []


def test_a_page_without_a_mass_names_none(result_of, page_of):
    files = [result_of("simulate", f"{name}.h5", *SHORT, QUASISTATIC, law)
             for name, law in (("driven", "--force=0.4*sin(t)"), ("led", "--position=sin(t)"))]
    words = page_of(*files).words
    assert "The curves (x, k₀ x + S)" in words and "m x″" not in words
    assert "x(t) and F(t) = 0.4*sin(t)." in words and "x(t) and F(t). x in" in words


def test_curves_of_two_forces_have_a_name_for_both(page_of, tmp_path, papers_case):
    files = [write_run(tmp_path / f"{damping}.h5", papers_case, damping=damping) for damping in (0, 0.5)]
    words = page_of(*files).words
    assert f"The curves (x, f) of figure 1, f = {ALONE} or {WITH_REST}." in words
    (tmp_path / "lab.csv").write_text("x,force\n0,0\n", encoding="utf-8")
    for given, name in ((files[:1], ALONE), (files[1:], WITH_REST), (files, "f"), ([tmp_path / "lab.csv"], "f")):
        assert cycles.ylabel(given) == f"restoring force {name}"


def test_every_figure_of_a_cycle_names_its_force(run_script, tmp_path, papers_case):
    """Whatever the label in the file, which older ones have not, or another."""
    run = read(write_run(tmp_path / "damped.h5", papers_case, damping=0.5))
    label = f"restoring force {WITH_REST}"
    for axes in (together([run]).axes[0], picture(run, "x, restoring").figure.axes[0], run.plot_cycle()):
        assert axes.get_ylabel() == label
    for words in ((), ("--together",), ("--analysis",)):
        assert run_script(cycles, run.path, *words, "-o", tmp_path / "c.svg")[0] == 0
        assert f"<!-- {label} -->" in (tmp_path / "c.svg").read_text(encoding="utf-8")


def test_a_scan_on_a_moving_base_lags_behind_what_moves_the_mass(result_of):
    words = ("--over=w=0.7:1.3:3", "--base-acceleration=0.3*sin(w*t)", "--force=0", "--k0=0.2", "--cells=inf")
    scan = Scan(result_of("scan", "scan.h5", *words, "--steady"))
    assert "phase lag φ of x behind F − m a_g over w" in [said for _, said in panels(scan)]
