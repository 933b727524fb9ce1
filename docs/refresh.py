"""Make the outputs, tables and pictures that the documents quote.

Outputs follow `$ expectitree …`. Tables of a study follow `<!-- table: NAME -->` or
`<!-- shares: NAME -->`, where NAME is a file in `studies/`.

A picture follows `<!-- picture: expectitree draw … -->`, a command without `-o`.

The pages are read as a newcomer reads them, in the order of the site: in one folder, which has the
folders of the clone. A block is saved as the file that the paragraph before it names, or as X if
the next paragraph begins with "Save it as `X`"; "Add … to `X`" adds it to the file. Commands of
`sh` blocks run, too: one that fails is followed by its error.

python docs/refresh.py          write them anew
python docs/refresh.py --check  say what is out of date (exit status 1); times are not compared
python docs/refresh.py --capture  also record the replay page (needs a browser)
"""

from __future__ import annotations

import difflib
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs"))
import study_pages  # noqa: E402 - it is next to this file, whose folder is now on the path

EXAMPLES = ROOT / "docs" / "examples"


def contents(page: Path) -> list[Path]:
    """Return a page and those that its tables of contents list, in their order."""
    pages = [page]
    for table in re.findall(r"^```{toctree}\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S):
        for name in re.findall(r"^[\w/-]+$", table, re.M):
            pages += contents(page.parent / f"{name}.md")
    return pages


DOCUMENTS = [ROOT / "README.md", *contents(ROOT / "docs" / "index.md")]
DOCUMENTS += sorted({*(ROOT / "docs").rglob("*.md")} - {*DOCUMENTS})
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

_BLOCK = re.compile(r"^```(\S.*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"`([\w.-]+\.(?:csv|json|py|toml|ya?ml))`")
_TABLE = re.compile(
    r"^<!-- (table|shares): (.*?) -->\n(.*?)^<!-- end -->$", re.MULTILINE | re.DOTALL
)
_DRAWN = re.compile(r"^<!-- picture: (expectitree draw .*?) -->\n!\[.*?\]\((.*?)\)", re.MULTILINE)
_TIME = re.compile(r" +([0-9.]+ (s|ms|µs)|time)( \|)?$", re.MULTILINE)


class Reader:
    """A reader who does what the pages say, in one folder and at 80 columns."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("trees", "studies", "docs/examples"):
            shutil.copytree(ROOT / name, folder / name)
        command = folder / ".bin" / "expectitree"
        command.parent.mkdir()
        command.write_text(f'#!/bin/sh\nexec {sys.executable} -m expectitree "$@"\n')
        command.chmod(0o755)
        self.environment = {
            **{key: os.environ[key] for key in ("HOME", "LANG") if key in os.environ},
            "COLUMNS": "80",
            "PATH": f"{command.parent}:{os.environ['PATH']}",
            "PYTHONIOENCODING": "utf-8",
            "PYTHONPATH": f"{ROOT}:{EXAMPLES}",  # the plugins of two pages are installed there
        }

    def run(self, command: str) -> tuple[str, int]:
        """Return all that a command prints, and its exit status."""
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        return done.stdout, done.returncode

    def refreshed(self, text: str, home: Path = ROOT) -> str:
        """Return a page of the folder `home` with the output of its commands as it is now."""
        for path in self.folder.iterdir():
            if _FILE.fullmatch(f"`{path.name}`"):
                path.unlink()  # each page has to give its files

        def block(match: re.Match[str]) -> str:
            language, content = match.groups()
            if language == "console":
                commands = [line for line in content.splitlines() if line.startswith("$ ")]
                outputs = [f"{line}\n{self.run(line[2:])[0]}" for line in commands]
                return f"```console\n{''.join(outputs)}```"
            if language == "sh":
                return "```sh\n" + "".join(map(self.tried, content.splitlines(True))) + "```"
            kind, _, path = language.partition("} ")
            if kind == "{literalinclude":
                content = (home / path).read_text(encoding="utf-8")
            self.save(text[: match.start()], content, text[match.end() :])
            return match[0]

        def table(match: re.Match[str]) -> str:
            lines = study_pages.TABLES[match[1]](study_pages.summary_of(match[2]))
            return "\n".join([f"<!-- {match[1]}: {match[2]} -->", *lines, "<!-- end -->"])

        return _TABLE.sub(table, _BLOCK.sub(block, text))

    def tried(self, line: str) -> str:
        """Return a line of a script, with its output if it fails."""
        if not line.startswith("expectitree ") or re.search(" edit |open_spiel|fish", line):
            return line
        output, status = self.run(line)
        return f"{line}{output}" if status else line

    def save(self, before: str, content: str, after: str) -> None:
        """Save a block under the name that the text before or after it gives."""
        later = re.match(r"\s*Save it as " + _FILE.pattern, after)
        paragraph = before.rstrip().rpartition("\n\n")[2]
        names = [later[1]] if later else _FILE.findall(paragraph)
        if names:
            mode = "a" if re.search(rf"Add [^.]* to `{names[-1]}`", paragraph) else "w"
            with (self.folder / names[-1]).open(mode, encoding="utf-8") as file:
                file.write(content)


def visits() -> Iterator[tuple[Path, str, str, dict[Path, str]]]:
    """Yield each document, its text, its text as it is now, and the pictures that it draws."""
    with TemporaryDirectory() as name:
        reader = Reader(Path(name))
        for document in DOCUMENTS:
            text = document.read_text(encoding="utf-8")
            new = reader.refreshed(text, document.parent)
            pictures = {}
            for command, place in _DRAWN.findall(text):
                path = document.parent / place
                pictures[path] = reader.run(f"{command} -o - --format svg")[0]
                if "--theme" not in command:
                    dark = path.with_name(f"{path.stem}-dark.svg")
                    pictures[dark] = reader.run(f"{command} --theme dark -o - --format svg")[0]
            yield document, text, new, pictures


def stale() -> list[str]:
    """Return a description of everything that is out of date."""
    found = []
    for document, text, new, pictures in visits():
        was, now = (_TIME.sub(" T", t).splitlines() for t in (text, new))
        place = str(document.relative_to(ROOT))
        difference = "\n".join(difflib.unified_diff(was, now, place, "now", lineterm="", n=1))
        if difference:
            found.append(difference)
        for path, drawn in pictures.items():
            if not path.exists() or path.read_text(encoding="utf-8") != drawn:
                found.append(f"{path.name} is not what its command draws")
    return found


def main() -> int:
    """Write or check, as the arguments say."""
    if "--check" in sys.argv[1:]:
        found = stale()
        print("\n".join(found))
        return bool(found)
    for document, text, new, pictures in visits():
        if _TIME.sub(" T", new) != _TIME.sub(" T", text):
            document.write_text(new, encoding="utf-8")
            print(f"{document.relative_to(ROOT)} refreshed")
        for path, drawn in pictures.items():
            path.parent.mkdir(exist_ok=True)
            path.write_text(drawn, encoding="utf-8")
    subprocess.run([sys.executable, str(ROOT / "docs" / "rooms.py")], check=True)
    if "--capture" in sys.argv[1:]:
        subprocess.run([sys.executable, str(ROOT / "docs" / "capture.py")], check=True)
    for name, command in PLOTS.items():
        words = [sys.executable, "-m", "expectitree", *shlex.split(command)]
        subprocess.run([*words, "--plot", f"docs/pictures/{name}.svg"], cwd=ROOT, check=True)
    for name, draw in study_pages.PICTURES.items():
        draw(str(ROOT / "docs" / "pictures" / f"{name}.svg"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
