"""The works that pages cite, by author and year; a page lists those that its words name."""

from collections import namedtuple

# How a work is cited, its entry in the list, and the name that the sources of the program use.
Work = namedtuple("Work", "key entry name", defaults=[""])

WORKS = (
    Work("Bastien, Lamarque and Schatzman (2001)",
         "J. Bastien, C.-H. Lamarque, M. Schatzman, Study of an elastoplastic model with an infinite number of degrees of "
         "freedom, ASME DETC 2001, VIB-21456; hal-04216235.", "continuous-masing-2001"),
    Work("Bastien, Schatzman and Lamarque (2000)",
         "J. Bastien, M. Schatzman, C.-H. Lamarque, Study of some rheological models with a finite number of degrees of "
         "freedom, Eur. J. Mech. A/Solids 19 (2000) 277–307.", "rheological-models-2000"),
    Work("Bastien and Lamarque (2006)",
         "J. Bastien, C.-H. Lamarque, The Persoz’s gephyroidal model described by a maximal monotone differential "
         "inclusion, submitted to Arch. Appl. Mech., 2006.", "persoz-gephyroid"),
    Work("Bastien and Schatzman (2002)",
         "J. Bastien, M. Schatzman, Numerical precision for differential inclusions with uniqueness, M2AN 36 (2002) "
         "427–460."),
    Work("Eça and Hoekstra (2014)",
         "L. Eça, M. Hoekstra, A procedure for the estimation of the numerical uncertainty of CFD calculations based on "
         "grid refinement studies, J. Comput. Phys. 262 (2014) 104–130."),
    Work("Hausman (1978)", "J. A. Hausman, Specification tests in econometrics, Econometrica 46 (1978) 1251–1271."),
)


def cited(text):
    """The Works that a text cites, in the order of WORKS."""
    return [work for work in WORKS if work.key in text]


def in_words(text):
    """A text of the program with each work cited by author and year instead of by the name that sources use."""
    for work in WORKS:
        text = text.replace(work.name, work.key) if work.name else text
    return text
