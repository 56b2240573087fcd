"""The files of jobs/packaging against what CMake looks for and what the program needs: the recipe for Spack, the module
file in a Tcl that prints, the container file by its words and Debian's packages."""

import os
import re
import shutil
from pathlib import Path

import pytest
from processes import ran

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "jobs" / "packaging"
CMAKE = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
# What the scripts import, as jobs/common.sh looks for it.
LIBRARIES = re.search(r"find_python (h5py\S*)\)", (ROOT / "jobs" / "common.sh").read_text())[1].split(",")


def test_the_recipe_for_spack_names_what_cmake_looks_for():
    text = (PACKAGING / "package.py").read_text(encoding="utf-8")
    dependencies = re.findall(r'depends_on\("([^"]*)"', text)
    names = {re.split("[@+]", spec)[0] for spec in dependencies}
    looked_for = {name.lower() for name in re.findall(r"(?:find_package|pkg_\w+)\((\w+) ", CMAKE)} - {"doxygen"}
    assert len(looked_for) == 10
    other = {"eigen3": "eigen", "pybind11": "py-pybind11"}
    assert {other.get(name, name) for name in looked_for} <= names
    compile(text, "package.py", "exec")
    assert all(f'"{name}"' in text for name in LIBRARIES)
    least = dict(re.findall(r"find_package\((\w+?)3? (\d[\d.]+)", CMAKE))
    least["cmake"] = re.search(r"VERSION ([\d.]+)", CMAKE)[1]
    for name, number in least.items():
        assert any(spec.startswith(f"{name.lower()}@{number}:") for spec in dependencies)
    assert 'define("MASING_TESTS", False)' in text and "share.masing.analysis" in text


@pytest.mark.skipif(not shutil.which("tclsh"), reason="no tclsh here")
def test_the_module_file_has_the_prefix(prefix, tmp_path):
    module = prefix / "share" / "masing" / "jobs" / "packaging" / "masing.modulefile"
    assert module.read_text(encoding="utf-8").startswith("#%Module")
    (tmp_path / "print.tcl").write_text("""proc module-whatis {text} {}
proc conflict {name} {puts "conflict=$name"}
proc prepend-path {name value} {puts "$name=$value"}
source [lindex $argv 0]
""")
    said = ran("tclsh", tmp_path / "print.tcl", module, check=True).stdout
    values = dict(line.split("=", 1) for line in said.splitlines())
    assert values == {"conflict": "masing", "PATH": f"{prefix}/bin", "CMAKE_PREFIX_PATH": str(prefix),
                      "PYTHONPATH": f"{prefix}/share/masing/analysis"}
    assert all(Path(folder).is_dir() for name, folder in values.items() if name != "conflict")


def instructions():
    """The container file's instructions as pairs of word and rest."""
    text = re.sub(r"^#.*\n", "", (PACKAGING / "Containerfile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [line.split(" ", 1) for line in text.replace("\\\n", "").splitlines() if line]


def packages_of_the_image():
    """The Debian packages of its last stage."""
    (command,) = [rest for word, rest in instructions() if word == "RUN" and "apt-get install" in rest]
    return [word for word in command.split("&&")[1].split()[2:] if not word.startswith("--")]


def test_the_container_has_two_stages_and_a_user():
    words = [word for word, _ in instructions()]
    assert words.count("FROM") == 2
    assert [rest for word, rest in instructions() if word == "USER"] == ["masing"]
    assert words.index("USER") > max(at for at, word in enumerate(words) if word in ("COPY", "RUN"))
    assert {f"python3-{name}" for name in LIBRARIES} <= set(packages_of_the_image())


@pytest.mark.skipif(not shutil.which("dpkg-query"), reason="needs Debian's packages")
def test_the_container_has_every_library_of_the_program(masing):
    """Each belongs to a package of the image, to one that it depends on, or to one that provides such a name."""
    depends, provides = {}, {}
    for line in ran("dpkg-query", "-W", "-f=${Package}\t${Pre-Depends}, ${Depends}\t${Provides}\n").stdout.splitlines():
        name, *lists = line.split("\t")
        depends[name], provides[name] = (set(re.findall(r"(?:^|[,|] )([a-z0-9][a-z0-9+.-]+)", text)) for text in lists)
    found, new = set(), set(packages_of_the_image())
    if not new <= set(depends):
        pytest.skip("these are packages of Debian 12, which are not here")
    while new:
        found |= new
        new = set().union(*(depends.get(name, ()) for name in new)) - found
    paths = [os.path.realpath(word) for word in ran("ldd", masing).stdout.split() if word[0] == "/"]
    assert len(paths) > 20
    # Packages of before /lib became a link name it so; dpkg does not find the others.
    owners = ran("dpkg", "-S", *paths, *(path.removeprefix("/usr") for path in paths)).stdout.splitlines()
    assert {line.split("/lib/", 1)[1] for line in owners} == {path.split("/lib/", 1)[1] for path in paths}
    missing = {name for line in owners if not ({name := line.split(":")[0]} | provides[name]) & found}
    assert not missing
