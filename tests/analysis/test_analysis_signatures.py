"""What editors, help() and checkers of types know of simulate(), converge() and scan(): the options that the program's
own help has, which is read here in another way than by the package."""

import ast
import builtins
import inspect
import keyword
import re

import pytest

import masing
from masing import native, program, signatures
from own_python import lines_of

COMMANDS = ("simulate", "converge", "scan")  # not those of masing.signatures, which are tested here


def options(command):
    """{keyword: default or None} of a command, as its help shows them."""
    text = program.run(program.required(), command, "--help").printed
    found = {}
    for block in re.split(r"\n  --", text)[1:]:
        name = block.split()[0].replace("-", "_")
        default = re.search(r" \[([^][]*)\]\n", block.partition("\n\n")[0] + "\n")
        found[name + "_" * keyword.iskeyword(name)] = default and default[1]
    return found


@pytest.mark.parametrize("command", COMMANDS)
def test_a_signature_has_the_options_of_the_programs_help(command):
    known, parameters = options(command), inspect.signature(getattr(masing, command)).parameters
    assert set(parameters) == set(known) - {"help", "table"} | {"ranks", "tables"} and len(known) > 30
    assert {each.kind for each in parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}
    for name, default in known.items():
        if default is not None and name != "output":
            shown = parameters[name].default
            assert shown == float(default) if isinstance(shown, (int, float)) else shown == default, name
    documented = inspect.getdoc(getattr(masing, command)).partition("Options, ")[2].splitlines()[2:]
    assert [re.match(r" +(\w+)", line)[1] for line in documented] == list(parameters)
    assert parameters["quiet"].default is False and parameters["output"].default is None
    assert "masing.h5" not in getattr(masing, command).__doc__


def test_importing_loads_no_library_and_all_names_are_there():
    assert lines_of("import sys, masing; print(*{'numpy', 'h5py', 'masing._masing'} & sys.modules.keys())") == [""]
    names = {"Run", "Study", "Scan", "simulate", "open", "identify", "MasingError"}
    assert names <= set(masing.__all__) <= set(dir(masing))
    assert masing.Run is type(masing.simulate(cells=2, final_time=1, steps=10)) and issubclass(masing.Study, masing.Run)
    assert all(hasattr(masing, name) for name in dir(masing)) and re.fullmatch(r"\d+\.\d+\.\d+", masing.__version__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        masing.nothing
    shown = {name for name in vars(masing) if name[0] != "_"} - set(masing.__all__)
    assert all(inspect.ismodule(getattr(masing, name)) for name in shown)


@pytest.mark.skipif(native.module() is None, reason="there is no module")
def test_without_the_module_they_are_general():
    script = "import inspect, masing; print(inspect.signature(masing.scan), 'scan' in dir(masing))"
    assert lines_of(script, MASING_MODULE="0") == ["(*files, **options) True"]


@pytest.mark.skipif(native.module() is None, reason="there is no module, and no stub")
def test_the_stub_has_the_signatures_in_types():
    """By its syntax: each name that a type is made of is known, each function has the parameters of the signature."""
    stub = signatures.stub(native.module())
    tree = ast.parse(stub)
    known = set(vars(builtins)) | {each.target.id for each in tree.body if isinstance(each, ast.AnnAssign)}
    functions, printed = {}, []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            known |= {alias.asname or alias.name for alias in node.names}
        if isinstance(node, ast.FunctionDef):
            printed += [(node.name, ast.unparse(node.args))] * (ast.unparse(node.returns) == "str")
            functions[node.name] = node
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert used <= known and set(masing.__all__) <= known | set(functions)
    for command, result in zip(COMMANDS, ("Run", "Study", "Scan")):
        node, real = functions[command], getattr(masing, command)
        assert [each.arg for each in node.args.kwonlyargs] == list(inspect.signature(real).parameters)
        assert node.returns.id == result and inspect.cleandoc(ast.get_docstring(node)) == inspect.getdoc(real).strip()
        types = {each.arg: ast.unparse(each.annotation) for each in node.args.kwonlyargs}
        assert (types["rule"], types["quiet"]) == ("Literal['right', 'midpoint'] | None", "bool | None")
        assert (types["force"], types["set"], types["ranks"]) == ("_Function | None", "_Pairs | None", "int | None")
        assert types["print_config"] == types["validate_only"] == "Literal[False] | None"
        assert (types["initial_u"], types["output"]) == ("_Function | _File | None", "_File | None")
    assert printed == [(command, f"*, {name}: Literal[True], **options: Any") for command in COMMANDS
                       for name in ("print_config", "validate_only")]
    assert "\ncells = 2\n" in masing.simulate(cells=2, print_config=True)
    references = ast.unparse(functions["converge"].args)
    assert "'exact-time', 'cells-inf'] | None" in references and "config: _File | None" in references


@pytest.mark.skipif(native.module() is None, reason="there is no module, and no stub")
def test_the_stub_is_written_whole_and_a_folder_that_cannot_be_written_is_left_out(tmp_path, capsys):
    place = tmp_path / "a.pyi"
    signatures.main([native.module().__file__, str(tmp_path / "none" / "b.pyi"), str(place)])
    assert place.read_text(encoding="utf-8") == signatures.stub(native.module())
    assert [path.name for path in tmp_path.iterdir()] == ["a.pyi"] and "none/b.pyi: cannot be written: No such" in capsys.readouterr().err
    signatures.main([str(tmp_path / "no.so"), str(place)])  # of a build that this Python cannot load
    assert "no stub of the package: " in capsys.readouterr().err
