"""Data flows one way: what each layer may import, and what start-up must not."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import expectitree

PACKAGE = Path(expectitree.__file__).parent
BASE = {"display", "errors", "number", "path", "expectation", "loops", "scans", "tree", "builder"}
MAY_IMPORT = {
    "display": set(),
    "errors": set(),
    "number": {"errors"},
    "path": set(),
    "expectation": {"number"},
    "loops": set(),
    "scans": {"tree"},  # for types only
    "tree": {"display", "errors", "number", "path", "expectation", "loops", "scans"},
    "builder": BASE,
    "columns": BASE,
    "families": BASE | {"columns", "families"},
    "files": BASE | {"columns", "files", "transform"},
    "transform": BASE,
    "search": BASE | {"search"},
    "analysis": BASE | {"analysis", "search", "transform"},
    "study": BASE | {"families", "files", "search", "analysis", "study", "transform"},
    "render": BASE | {"render", "analysis", "search", "study"},
    "rewriting": BASE | {"files", "analysis"},
    "cli": BASE
    | {"families", "study", "rewriting", "cli", "render", "analysis", "search", "transform", "files", "__version__"},
    "__main__": {"cli"},
}
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))


def imported(module: Path) -> set[str]:
    """Return the layers that a module imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse((PACKAGE / module).read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "expectitree":
            below = node.module.split(".")[1:]
            found |= {below[0]} if below else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("expectitree.")}
    return found


@pytest.mark.parametrize("module", [m for m in MODULES if m != Path("__init__.py")], ids=str)
def test_imports_run_one_way(module: Path) -> None:
    layer = module.parts[0].removesuffix(".py")
    assert imported(module) <= MAY_IMPORT[layer]


def test_every_public_name_is_there() -> None:
    for name in expectitree.__all__:
        assert getattr(expectitree, name) is not None
    assert set(expectitree.__all__) <= set(dir(expectitree))


def test_a_small_tree_needs_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['expectitree', 'eval', '-e', 'max: [1, 2]', '--format', 'json']\n"
        "from expectitree.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(sorted(m for m in ('numpy', 'numba', 'rich.progress', 'rich.table', 'expectitree.analysis.verification',"
        " 'expectitree.render.comparison', 'fractions') if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
