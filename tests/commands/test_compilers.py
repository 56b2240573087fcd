"""Programs of two compilers, $MASING_PROGRAM and $MASING_OTHER_PROGRAM, write the same bits: every dataset and every
attribute outside /provenance and /timing."""

import os

import h5py
import pytest
from result_files import contents, text

OTHER = os.environ.get("MASING_OTHER_PROGRAM")
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not OTHER, reason="MASING_OTHER_PROGRAM names no program of another compiler"),
]

GENERAL = (
    *("--stiffness=2-s+0.3*sin(3*s)", "--threshold=0.2+0.5*s^2+0.1*exp(-s)", "--force=0.3*sin(t)+0.1*cos(2.3*t)"),
    *("--damping=0.05", "--k0=0.1", "--final-time=50"),
)
FIELDS = ("--energy", "--field-every=200", "--probe=0.2,0.7")
RUNS = {
    "sweep of an affine eta": ("simulate", "--final-time=50", "--steps=20000", "--cells=1500", *FIELDS),
    "sweep of a general eta": ("simulate", *GENERAL, "--steps=20000", "--cells=1500", *FIELDS),
    "leapfrog": ("simulate", *GENERAL, "--steps=20000", "--cells=1500", "--scheme=leapfrog", *FIELDS),
    "memory": ("simulate", *GENERAL, "--steps=20000", "--cells=inf", "--engine=memory", *FIELDS),
    "exact": ("simulate", *GENERAL, "--steps=2000", "--cells=inf", "--engine=exact", *FIELDS),
    "study": ("converge", "--final-time=20", "--levels=1000,2000,4000,8000", "--cells=inf", "--reference=exact"),
}


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS.keys())
def test_the_bits_do_not_depend_on_the_compiler(masing, run):
    def made():
        masing.done(*run, "--output=made.h5", "--quiet")
        with h5py.File(masing.folder / "made.h5") as file:
            compiler = text(file["provenance"].attrs["compiler"])
        return compiler, contents(masing.folder / "made.h5")

    compiler, found = made()
    masing.program = OTHER
    other_compiler, expected = made()
    assert compiler != other_compiler
    assert found == expected
