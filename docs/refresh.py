"""Make the outputs, tables and pictures that the documents quote.

Outputs follow `$ expectitree …`. Tables of a study follow `<!-- table: NAME -->` or
`<!-- shares: NAME -->`, where NAME is a file in `studies/`.

A picture follows `<!-- picture: expectitree draw … -->`, a command without `-o`.

A command in a console block reads a file `NAME.yaml` as the YAML block before it has it, as a
reader does who saves each block. Without such a block, the file is the one in docs/examples.

python docs/refresh.py          write them anew
python docs/refresh.py --check  say what is out of date (exit status 1); times are not compared
python docs/refresh.py --capture  also record the replay page (needs a browser)
"""

from __future__ import annotations

import difflib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs"))
import study_pages  # noqa: E402 - it is next to this file, whose folder is now on the path

EXAMPLES = ROOT / "docs" / "examples"
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
# Their bytes change with the version of what draws them, so that they are made here and not
# compared.
PLOTS = {
    "rockefeller-pr": "sensitivity trees/rockefeller.yaml -p pr=0..1",
    "rockefeller-map": "sensitivity trees/rockefeller.yaml -p pr=0..1 -p sens=0.6..1",
    "rockefeller-risk": "risk trees/rockefeller.yaml",
    "rockefeller-tornado": "sensitivity trees/rockefeller.yaml --tornado",
    "sumatriptan-curve": "simulate docs/examples/sumatriptan.yaml -p wtp --study gain=100,0.4",
    "sumatriptan-plane": "simulate docs/examples/sumatriptan.yaml",
}

_BLOCK = re.compile(r"^```(yaml|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TABLE = re.compile(
    r"^<!-- (table|shares): (.*?) -->\n(.*?)^<!-- end -->$", re.MULTILINE | re.DOTALL
)
_DRAWN = re.compile(r"^<!-- picture: (expectitree draw .*?) -->\n!\[.*?\]\((.*?)\)", re.MULTILINE)
_TIME = re.compile(r" +([0-9.]+ (s|ms|µs)|time)( \|)?$", re.MULTILINE)


def run(command: str, saved: str = "") -> str:
    """Return the output of a command line at 80 columns, run by this Python.

    Its folder has what a reader has: the folders of the clone, and saved examples. A file without a
    folder in its name, such as `risk.yaml`, has the text `saved`, if there is one.
    """
    typed, _, command = command.rpartition(" | ")  # printf 'what is typed\\n' | expectitree …
    words = shlex.split(command)
    assert words[0] == "expectitree", command
    plain = {
        key: value
        for key, value in os.environ.items()
        if key not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")
    }
    with TemporaryDirectory() as name:
        folder = Path(name)
        for path in [ROOT / "trees", ROOT / "studies", ROOT / "docs", *EXAMPLES.iterdir()]:
            (folder / path.name).symlink_to(path)
        for word in words:
            if saved and word == Path(word).name and word.endswith(".yaml"):
                (folder / word).unlink(missing_ok=True)  # otherwise, the example would change
                (folder / word).write_text(saved, encoding="utf-8")
        return subprocess.run(
            [sys.executable, "-m", "expectitree", *words[1:]],
            cwd=folder,
            env={**plain, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"},
            input=shlex.split(typed)[1].replace("\\n", "\n") if typed else "",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        ).stdout


def refreshed(text: str) -> str:
    """Return a document with the output of every command in its console blocks as it is now."""
    saved = ""

    def block(match: re.Match[str]) -> str:
        nonlocal saved
        language, content = match.groups()
        if language == "yaml":
            saved = content
            return match[0]
        commands = [line for line in content.splitlines() if line.startswith("$ ")]
        outputs = [f"{line}\n{run(line[2:], saved)}" for line in commands]
        return f"```console\n{''.join(outputs)}```"

    def table(match: re.Match[str]) -> str:
        lines = study_pages.TABLES[match[1]](study_pages.summary_of(match[2]))
        return "\n".join([f"<!-- {match[1]}: {match[2]} -->", *lines, "<!-- end -->"])

    return _TABLE.sub(table, _BLOCK.sub(block, text))


def gallery() -> Iterator[tuple[Path, str]]:
    """Yield every drawn picture that a document shows, light and dark, as it is drawn now."""
    for document in DOCUMENTS:
        for command, name in _DRAWN.findall(document.read_text(encoding="utf-8")):
            path = document.parent / name
            yield path, run(f"{command} -o - --format svg")
            if "--theme" not in command:
                dark = run(f"{command} --theme dark -o - --format svg")
                yield path.with_name(f"{path.stem}-dark.svg"), dark


def stale() -> list[str]:
    """Return a description of everything that is out of date."""
    found = []
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        was, now = (_TIME.sub(" T", t).splitlines() for t in (text, refreshed(text)))
        difference = "\n".join(
            difflib.unified_diff(was, now, str(document.name), "now", lineterm="", n=1)
        )
        if difference:
            found.append(difference)
    for path, drawn in gallery():
        if not path.exists() or path.read_text(encoding="utf-8") != drawn:
            found.append(f"{path.name} is not what its command draws")
    return found


def main() -> int:
    """Write or check, as the arguments say."""
    if "--check" in sys.argv[1:]:
        for difference in stale():
            print(difference)
        return bool(stale())
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        new = refreshed(text)
        if _TIME.sub(" T", new) != _TIME.sub(" T", text):
            document.write_text(new, encoding="utf-8")
            print(f"{document.relative_to(ROOT)} refreshed")
    for path, drawn in gallery():
        path.parent.mkdir(exist_ok=True)
        path.write_text(drawn, encoding="utf-8")
    subprocess.run([sys.executable, str(ROOT / "docs" / "rooms.py")], check=True)
    if "--capture" in sys.argv[1:]:
        subprocess.run([sys.executable, str(ROOT / "docs" / "capture.py")], check=True)
    for name, command in PLOTS.items():
        run(f"expectitree {command} --plot docs/pictures/{name}.svg")
    for name, draw in study_pages.PICTURES.items():
        draw(str(ROOT / "docs" / "pictures" / f"{name}.svg"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
