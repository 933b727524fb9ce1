"""Imports run one way between the layers, and start-up imports nothing slow."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import expectitree

PACKAGE = Path(expectitree.__file__).parent
# The core, lowest layer first: a module imports its own layer and those below it.
CORE = (
    ("base",),
    ("files", "searches", "text"),
    ("analysis",),
    ("picture",),
    ("page",),
)
WINGS = ("decide", "games", "lab", "foreign")  # each imports the core, and no other wing
TOP = ("cli", "editor", "__init__", "__main__")  # they know all of them
MODULES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}


def room(module: str) -> str:
    """Return the first part of a module's dotted name within the package."""
    return module.partition(".")[0]


def layer(module: str) -> int:
    """Return the place of a module's room: the core's layers, the wings, the top."""
    places = (*CORE, WINGS, TOP)
    return next(place for place, rooms in enumerate(places) if room(module) in rooms)


@cache
def nodes(path: Path) -> list[ast.AST]:
    """Return the imports and the constants of a module."""
    kinds = (ast.Import, ast.ImportFrom, ast.Constant)
    tree = ast.parse(path.read_text("utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, kinds)]


def imports(path: Path) -> set[str]:
    """Return the modules of the package that a module imports, wherever in it.

    A public name comes from `__init__`, which imports it from anywhere.
    """
    found: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("expectitree"):
            below = str(node.module).removeprefix("expectitree").lstrip(".")
            names = [f"{below}.{a.name}".lstrip(".") for a in node.names if a.name != "__version__"]
            found |= {name if name in MODULES else below or "__init__" for name in names}
        elif isinstance(node, ast.Import):
            names = [a.name.removeprefix("expectitree.") for a in node.names]
            found |= {"__init__" if name == "expectitree" else name for name in names}
    return found & MODULES.keys()


def named_wings(path: Path) -> list[str]:
    """Return the texts of a module that name a wing's folder or module, as `import_module` does.

    The beginning of a name counts too, as in `f"games.{name}"`.
    """
    texts = (
        node.value.removeprefix("expectitree.")
        for node in nodes(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    beginning = re.compile(rf"({'|'.join(WINGS)})[./][\w./]*")
    return [t for t in texts if beginning.fullmatch(t) or (t in WINGS and t != "games")]


def test_imports_run_one_way() -> None:
    upwards = [
        f"{module} imports {other}"
        for module, path in MODULES.items()
        for other in imports(path)
        if layer(other) > layer(module)
    ]
    assert not upwards


def test_no_wing_imports_another_and_the_core_names_none() -> None:
    """A name in a text counts too: `tables` is how the core finds what a wing has."""
    found = []
    for module, path in MODULES.items():
        if room(module) in TOP:
            continue
        names = [*imports(path), *named_wings(path)]
        found += [
            f"{module}: {name}"
            for name in names
            if room(name) in WINGS and room(name) != room(module)
        ]
    assert not found


def test_the_tests_above_see_public_names_and_parts_of_names(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        "import expectitree\nfrom expectitree import risk, base\n"
        'words = [f"expectitree.games.{risk}", "lab", "decide/risk", "games"]\n'
    )
    assert imports(module) == {"__init__", "base"}
    assert sorted(named_wings(module)) == ["decide/risk", "games.", "lab"]


def test_no_module_is_found_from_the_module_of_a_class() -> None:
    """A class that moves would lose its output. Public errors set it, a user's game has one."""
    users = [m for m, p in MODULES.items() if "__module__" in p.read_text("utf-8")]
    assert users == ["base.errors", "games.finding"]


def test_imports_have_no_circle() -> None:
    """Imports inside functions and for type checkers count; `CycleError` names a circle."""
    modules = {m: imports(p) - {m} for m, p in MODULES.items() if m != "__init__"}
    TopologicalSorter(modules).prepare()


@pytest.mark.slow
def test_the_picture_of_the_rooms_is_current() -> None:
    script = PACKAGE.parent / "docs" / "rooms.py"
    done = subprocess.run([sys.executable, script, "--check"], stderr=subprocess.PIPE, text=True)
    assert not done.stderr


# Imports one thing after another, each as if nothing of the package had been imported before.
FIRST_IMPORTS = """
import sys
from importlib import import_module
for line in sys.stdin.read().splitlines():
    for module in [name for name in sys.modules if name.partition(".")[0] == "expectitree"]:
        del sys.modules[module]
    module, *names = line.split()
    try:
        for name in names:
            getattr(import_module("expectitree"), name)
        import_module(module)
    except Exception as error:
        print(line, repr(error), sep=": ")
"""


def failed_first_imports(lines: Iterable[str]) -> str:
    """Import each line's names from the package, then its module; return what fails."""
    code = [sys.executable, "-c", FIRST_IMPORTS]
    done = subprocess.run(code, input="\n".join(lines), capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.slow
def test_every_public_name_can_be_imported_first() -> None:
    """In a process of its own: in this one, other tests have imported most modules already."""
    homes = expectitree._NAMES.items()
    assert not failed_first_imports(f"expectitree {' '.join(names)}" for _, names in homes)
    assert set(expectitree.__all__) <= set(dir(expectitree))


@pytest.mark.slow
def test_every_module_can_be_imported_first() -> None:
    assert not failed_first_imports(f"expectitree.{name}" for name in MODULES)


def test_a_first_import_that_fails_is_named() -> None:
    assert failed_first_imports(["expectitree.none", "expectitree", "expectitree nobody"]) == (
        "expectitree.none: ModuleNotFoundError(\"No module named 'expectitree.none'\")\n"
        "expectitree nobody: AttributeError(\"module 'expectitree' has no attribute 'nobody'\")\n"
    )


def test_the_stub_and_the_lazy_imports_list_the_same_names() -> None:
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text("utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    homes = {
        alias.asname: str(node.module).removeprefix("expectitree.")
        for node in imports
        for alias in node.names
    }
    assert homes == expectitree._HOMES


def test_a_small_tree_imports_no_slow_library() -> None:
    code = (
        "import sys; sys.argv = ['expectitree', 'eval', '-e', 'max: [1, 2]', '--format', 'json']\n"
        "from expectitree.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(sorted(m for m in ('numpy', 'numba', 'rich.progress', 'rich.table', "
        "'click.shell_completion', "
        "'expectitree.analysis.verify.report',"
        " 'expectitree.analysis.compare.text') if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
