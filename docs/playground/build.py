"""Put the playground together: python docs/playground/build.py FOLDER.

The folder receives the page, Pyodide from npm (the version of `package.json`), and the packages
that run in the browser: expectitree with its example trees, PyYAML and rich, all as Python text.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from contextlib import suppress
from html import escape
from importlib.util import find_spec
from pathlib import Path

from expectitree.editor.answers import answer
from expectitree.editor.server import front_page

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
EDITOR = ROOT / "expectitree" / "editor"
PAGE = ("editor.css", "editor.js", "text.js", "codemirror.js", "codemirror.LICENSE")
TRANSPORT = ("transport.js", "worker.js")
PYODIDE = (
    "pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json",
)  # fmt: skip
PACKAGES = ("expectitree", "yaml", "rich")
_KINDS = {".py", ".pyi", ".json", ".yaml", ".css", ".html", ".js"}
_SERVED = {"__pycache__", "codemirror.js"}  # which no Python reads


def build(folder: Path) -> None:
    """Write the playground to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in PAGE:
        shutil.copy(EDITOR / name, folder / name)
    (folder / "index.html").write_text(_front_page(folder), "utf-8")
    _copy_pyodide(folder / "pyodide")
    _zip_packages(folder / "packages.zip")
    scripts = [folder / "pyodide" / name for name in PYODIDE]
    # Modules are imported, and only what is fetched is counted.
    loaded = [folder / "packages.zip", *(path for path in scripts if path.suffix != ".mjs")]
    size = sum(path.stat().st_size for path in loaded)
    for name in TRANSPORT:
        script = (HERE / name).read_text("utf-8").replace("BYTES = 0", f"BYTES = {size}")
        (folder / name).write_text(script, "utf-8")


def _front_page(folder: Path) -> str:
    """Return the page with its first tree, and write the tree's pictures: Python takes a while."""
    script = (EDITOR / "editor.js").read_text("utf-8")
    found = re.search("const FIRST = `(.*?)`", script, re.DOTALL)
    assert found is not None
    text = found[1]
    for theme in ("light", "dark"):
        asked = {"text": text, "view": "picture", "algorithm": "", "theme": theme}
        (folder / f"first-{theme}.svg").write_text(answer(asked)["svg"], "utf-8")
    picture = (
        '<picture class="first">'
        '<source srcset="first-dark.svg" media="(prefers-color-scheme: dark)">'
        '<img src="first-light.svg" alt="The tree as a picture"></picture>'
    )
    page = front_page(f"<pre>{escape(text)}</pre>", picture)
    return page.replace("<body>", '<body class="playground">')  # the header has its place at once


def _copy_pyodide(folder: Path) -> None:
    installed = HERE / "node_modules" / "pyodide"
    if not installed.exists():
        npm = shutil.which("npm")
        if npm is None:
            raise SystemExit("the playground needs npm, which downloads Pyodide: install Node.js")
        with tempfile.TemporaryDirectory(dir=HERE) as work:
            for name in ("package.json", "package-lock.json"):
                shutil.copy(HERE / name, work)
            words = [npm, "ci", "--omit=dev", "--silent", "--no-audit", "--no-fund"]
            subprocess.run(words, cwd=work, check=True)
            with suppress(OSError):  # another process has put it there meanwhile
                os.rename(Path(work) / "node_modules", HERE / "node_modules")
    folder.mkdir(exist_ok=True)
    for name in PYODIDE:
        shutil.copy(installed / name, folder / name)


def _zip_packages(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(HERE / "playground.py", "playground.py")
        for package in PACKAGES:
            spec = find_spec(package)
            assert spec is not None
            assert spec.origin is not None
            source = Path(spec.origin).parent
            for file in sorted(source.rglob("*")):
                if file.suffix in _KINDS and not _SERVED & {*file.parts}:
                    archive.write(file, Path(package) / file.relative_to(source))
        if "expectitree/trees/risk.yaml" not in archive.namelist():
            for file in sorted((ROOT / "trees").iterdir()):
                archive.write(file, f"expectitree/trees/{file.name}")


if __name__ == "__main__":
    build(Path(sys.argv[1]))
