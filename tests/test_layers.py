"""Imports run one way between the layers, and start-up imports nothing slow."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import expectitree

PACKAGE = Path(expectitree.__file__).parent
# The layers, lowest first; a module imports its own layer and those below it.
LAYERS = (
    ("display", "errors", "interrupts", "rounding", "spellings"),
    ("numbers", "compiling", "budget"),
    ("expressions",),
    ("algorithms", "algebra", "tree"),
    ("files", "searches", "families"),
    ("games",),
    ("text", "analysis.evaluate"),
    ("analysis",),
    ("picture",),
    ("page",),
    ("drawing",),
    ("cli", "pytest_plugin"),
    ("__main__",),
)
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))


def layer(module: str) -> int:
    """Return the place in `LAYERS` of a module's dotted name within the package."""
    names = [".".join(module.split(".")[:length]) for length in (2, 1)]
    return next(place for name in names for place, modules in enumerate(LAYERS) if name in modules)


def imported(module: Path) -> set[str]:
    """Return the modules of the package that a module imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse((PACKAGE / module).read_text("utf-8"))):
        if (
            isinstance(node, ast.ImportFrom)
            and node.module
            and node.module.startswith("expectitree")
        ):
            below = node.module.removeprefix("expectitree").lstrip(".")
            for alias in node.names:
                is_module = (PACKAGE / below.replace(".", "/") / f"{alias.name}.py").exists()
                found.add(f"{below}.{alias.name}".lstrip(".") if is_module or not below else below)
        elif isinstance(node, ast.Import):
            found |= {
                a.name.removeprefix("expectitree.") for a in node.names if "expectitree." in a.name
            }
    return found - {"__version__"}


@pytest.mark.parametrize("module", [m for m in MODULES if m != Path("__init__.py")], ids=str)
def test_no_module_imports_from_a_higher_layer(module: Path) -> None:
    own = layer(".".join(module.with_suffix("").parts))
    assert not [name for name in imported(module) if layer(name) > own]


def test_every_public_name_can_be_imported() -> None:
    for name in expectitree.__all__:
        assert getattr(expectitree, name) is not None
    assert set(expectitree.__all__) <= set(dir(expectitree))


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
        "'expectitree.analysis.verify.report',"
        " 'expectitree.analysis.compare.text') if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
