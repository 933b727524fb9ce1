"""Files are written in one way: nothing is lost, no edit is discarded, no message lacks a name."""

from __future__ import annotations

import ast
import errno
import os
import signal
import struct
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from zlib import crc32

import pytest
from helpers import ROOT, run_main, sentences

import expectitree as et
from expectitree.analysis.verify import report as refreshing
from expectitree.base.errors import FileError
from expectitree.base.tables import PICTURES
from expectitree.cli import generate as generating
from expectitree.decide.ask.answers import AnswersFile
from expectitree.files.writing import OutputFile, is_as_written, whole_file, write_marked
from expectitree.lab.sheets import FORMATS as SHEETS
from expectitree.lab.study.results import Results

PACKAGE = Path(et.__file__).parent
RISK = str(ROOT / "trees" / "risk.yaml")
ROCKEFELLER = str(ROOT / "trees" / "rockefeller.yaml")
BROKEN = "expect: {value: 1}\nmax: [2]\n"
CHANGED = "another program changed the file in the meantime"


def write(path: str | Path, content: bytes = b"new") -> None:
    with whole_file(os.fspath(path)) as stream:
        stream.write(content)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# ---- Nothing else opens a file for writing.

# Attributes of `os`, and of paths and other modules, that make a file or replace one.
OF_OS = {"open", "fdopen", "truncate", "rename", "renames", "replace", "link", "symlink", "mknod"}
OF_PATHS = {"write_text", "write_bytes", "touch", "symlink_to", "hardlink_to"}


def writes(node: ast.AST) -> bool:
    """Return whether a part of a program may open a file (but the null device) for writing."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        modules = [getattr(node, "module", ""), *(alias.name for alias in node.names)]
        return bool({"shutil", "tempfile"} & set(modules))
    if not isinstance(node, ast.Call) or "os.devnull" in map(ast.unparse, node.args[:1]):
        return False
    owner, _, name = ast.unparse(node.func).rpartition(".")
    values = [*node.args, *(keyword.value for keyword in node.keywords)]
    if name == "savefig":
        return ast.unparse(values[0]) != "stream"
    if name in ("open", "OSFile", "FileIO") and owner != "os":
        texts = [str(getattr(value, "value", "")) for value in values]
        return any(len(text) <= 3 and set(text) & set("wax+") for text in texts)
    is_path = name in OF_PATHS and owner != "formatter"  # click has a method of that name
    return is_path or (owner == "os" and name in OF_OS)


@pytest.mark.slow
def test_one_module_opens_files_for_writing() -> None:
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if any(map(writes, ast.walk(ast.parse(path.read_text("utf-8")))))
    }
    assert found == {"files/writing.py"}


# ---- An edit that was made while the program ran.


def test_a_file_that_changed_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("old")
    with pytest.raises(FileError, match=CHANGED), whole_file(OutputFile(str(path))):
        path.write_text("mine")
    assert path.read_text() == "mine"
    seen = OutputFile(str(path))
    path.write_text("mein")
    with pytest.raises(FileError, match=CHANGED):
        write(seen)
    (tmp_path / "y").write_text("mine")
    (tmp_path / "y").replace(path)  # as editors save
    with pytest.raises(FileError, match=CHANGED):
        write(seen)
    assert names(tmp_path) == ["x"]


def test_a_file_that_appeared_or_vanished_meanwhile_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "x"
    seen = OutputFile(str(path))
    path.write_text("mine")
    with pytest.raises(FileError, match=CHANGED):
        write(seen)
    seen = OutputFile(str(path))
    path.unlink()
    with pytest.raises(FileError, match=CHANGED):
        write(seen)
    assert names(tmp_path) == []


def test_verify_write_keeps_an_edit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "tree.yaml"
    file.write_text(BROKEN)
    verify = refreshing.verify

    def edited(*arguments: Any, **options: Any) -> Any:
        file.write_text(BROKEN + "# mine\n")
        return verify(*arguments, **options)

    monkeypatch.setattr(refreshing, "verify", edited)
    done = run_main("verify", "--write", str(file))
    assert done.status == 3
    assert f"{file}: not refreshed: {CHANGED}: run this again" in done.err
    assert file.read_text() == BROKEN + "# mine\n"


@pytest.mark.parametrize("words", [(), ("--force",)])
def test_an_output_keeps_an_edit(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, generate = tmp_path / "tree.yaml", generating.generate
    if words:
        file.write_text("old")

    def edited(*arguments: Any, **options: Any) -> Any:
        file.write_text("mine")
        return generate(*arguments, **options)

    monkeypatch.setattr(generating, "generate", edited)
    done = run_main("generate", "uniform", "--plies", "2", "-o", str(file), *words)
    assert (done.status, file.read_text()) == (3, "mine")
    assert f"{file}: {CHANGED}" in sentences(done.err)


# ---- Several writers of one file, and what others left.


def saves(name: str) -> Callable[[Path], object]:
    """Return a function that writes a file with a name in a folder, as users of Python do."""
    tree = et.load(RISK)
    if name.endswith(".svg"):
        return lambda folder: et.draw(tree, folder / name)
    return lambda folder: et.save(tree, folder / name)


@pytest.mark.parametrize("name", ["x.yaml", "x.json", "x.efg", "x.svg", "no ending"])
def test_threads_may_save_the_same_file(name: str, tmp_path: Path) -> None:
    save = saves(name) if "." in name else lambda folder: write(folder / name)
    save(tmp_path)
    content = (tmp_path / name).read_bytes()
    with ThreadPoolExecutor(8) as executor:
        for future in [executor.submit(save, tmp_path) for _ in range(32)]:
            future.result()
    assert ((tmp_path / name).read_bytes(), names(tmp_path)) == (content, [name])


def test_the_last_of_several_writers_wins(tmp_path: Path) -> None:
    path = str(tmp_path / "x")
    with whole_file(path) as first, whole_file(path) as second:
        first.write(b"first")
        second.write(b"second")
    assert (tmp_path / "x").read_bytes() == b"first"  # which was completed last
    assert names(tmp_path) == ["x"]


def test_what_a_killed_program_left_stops_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a container, every run may have the same number; here even random bytes are repeated."""
    numbers = iter([b"old", b"old", b"new"])
    monkeypatch.setattr(os, "getpid", lambda: 1)
    monkeypatch.setattr(os, "urandom", lambda size: next(numbers))
    for name in (b"old".hex(), f"{crc32(b'x'):08x}-1"):
        (tmp_path / f".expectitree-{name}").write_text("half")
    write(tmp_path / "x")
    assert (tmp_path / "x").read_text() == "new"
    assert len(names(tmp_path)) == 3


def test_no_name_of_a_file_depends_on_the_process() -> None:
    texts = {path.name: path.read_text("utf-8") for path in PACKAGE.rglob("*.py")}
    assert [name for name, text in texts.items() if "getpid" in text] == ["executors.py"]


# ---- Interruptions.


def test_an_interrupt_just_after_the_replacement_is_an_interrupt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = os.replace

    def interrupted(old: str, new: str) -> None:
        replace(old, new)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    done = run_main("new", str(tmp_path / "tree.yaml"))
    assert (done.status, done.err) == (130, "expectitree: interrupted\n")
    assert names(tmp_path) == ["tree.yaml"]


KILLED = """
import os, signal, sys
from expectitree.files.writing import whole_file
with whole_file(sys.argv[1]) as stream:
    stream.write(b"x" * 100_000)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_a_kill_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("old")
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGKILL
    assert path.read_text() == "old"
    write(path)
    assert path.read_text() == "new"


# ---- A full disk, a folder that cannot be written.

SMALL_DISK = """
import resource, sys
from expectitree.cli import main
sys.argv[0] = "expectitree"
if "draw" in sys.argv:
    import expectitree.cli.draw, expectitree.picture.svg
resource.setrlimit(resource.RLIMIT_FSIZE, (1024, resource.RLIM_INFINITY))
main()
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="there are no limits of resources")
@pytest.mark.parametrize(
    "words",
    [
        ("new", "--force", "old.yaml"),
        ("draw", RISK, "--force", "-o", "old.svg"),
        ("eval", RISK, "--format", "json", "-o", "old.json"),
    ],
    ids=lambda words: words[0],
)
def test_a_full_disk_leaves_the_old_file(words: tuple[str, ...], tmp_path: Path) -> None:
    old = tmp_path / words[-1]
    old.write_text("old")
    program = [sys.executable, "-c", SMALL_DISK, *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        program, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    message = f"{old.name}: error: the file cannot be written: File too large\n"
    assert (done.returncode, done.stderr) == (3, message)
    assert (names(tmp_path), old.read_text()) == ([old.name], "old")


def failing(number: int, when: Callable[[int], bool]) -> Callable[..., int]:
    """Return `os.open`, but for an error where the flags are such."""
    system_open = os.open

    def fails(path: Any, flags: int, *mode: int, **options: Any) -> int:
        if when(flags):
            raise OSError(number, os.strerror(number))
        return system_open(path, flags, *mode, **options)

    return fails


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES])
def test_a_folder_that_cannot_be_written_is_named(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x").write_text("old")
    monkeypatch.setattr(os, "open", failing(number, lambda flags: bool(flags & os.O_CREAT)))
    with pytest.raises(FileError) as caught:
        write(tmp_path / "x")
    where = f"no file can be made in the folder {tmp_path}"
    reason = os.strerror(number)
    assert str(caught.value) == f"{tmp_path}/x: the file cannot be written: {where}: {reason}"
    cause = caught.value.__cause__
    assert isinstance(cause, OSError)
    assert cause.errno == number


# ---- Links.


def linked(folder: Path, target: Path | str) -> Path:
    """Return a folder of its own with a link to a target."""
    (folder / "own").mkdir(exist_ok=True)
    link = folder / "own" / "tree.yaml"
    link.unlink(missing_ok=True)
    link.symlink_to(target)
    return link


def test_a_link_out_of_its_folder_is_not_written(tmp_path: Path) -> None:
    outside = tmp_path / "outside.yaml"
    for content in (BROKEN, None):
        outside.unlink(missing_ok=True)
        if content is not None:
            outside.write_text(content)
        link = linked(tmp_path, outside)
        for words in (
            ("new", "--force", str(link)),
            ("verify", "--write", str(link)),
            ("convert", "--force", RISK, str(link)),
        ):
            done = run_main(*words)
            assert done.status == 3
            expected = f"this link leads out of its folder: to write there, name {outside}"
            assert expected in done.err or (content is None and words[0] == "verify"), words
        assert outside.exists() == (content is not None)
        assert content is None or outside.read_text() == content
    with pytest.raises(FileError, match="out of its folder"):
        et.save(et.loads("max: [1]"), link)
    with pytest.raises(FileError, match="out of its folder"), Results(str(link)).writing():
        pass
    with pytest.raises(FileError, match="out of its folder"):
        AnswersFile(str(link), "x").add("#1", "1")


@pytest.mark.parametrize(
    "words", [("new",), ("convert", RISK), ("generate", "uniform", "--plies", "1", "-o")]
)
def test_a_dangling_link_needs_force(words: tuple[str, ...], tmp_path: Path) -> None:
    link = linked(tmp_path, "below/target.yaml")
    (tmp_path / "own" / "below").mkdir()
    done = run_main(*words, str(link))
    assert done.status == 2
    assert "exists already" in done.err
    assert names(tmp_path / "own" / "below") == []
    assert run_main(*words, str(link), "--force").status == 0
    assert names(tmp_path / "own" / "below") == ["target.yaml"]
    assert link.is_symlink()


def test_a_link_is_not_followed_anew_at_the_end(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text(name)
    link = tmp_path / "link"
    link.symlink_to("a")
    seen = OutputFile(str(link))
    link.unlink()
    link.symlink_to("b")
    with pytest.raises(FileError, match=CHANGED):
        write(seen)
    assert [(tmp_path / name).read_text() for name in ("a", "b")] == ["a", "b"]


# ---- What expectitree wrote, and no one changed, is replaced.

DRAWN = [
    *(("draw", RISK, "-o", f"x{ending}") for ending in PICTURES),
    *(("sheet", "-n", "1", "-o", f"x{ending}") for ending in SHEETS),
    ("sheet", RISK, "-n", "1", "-o", "x.HTML"),
    ("draw", RISK, "--theme", "dark", "-o", "x.svg"),
    ("draw", "game:pig", "--depth", "2", "-o", "x.html"),
    ("report", ROCKEFELLER, "-o", "x.html"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, which is empty."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check_format(file: Path) -> None:
    """Assert that a strict reader of the format accepts a file with its mark."""
    content = file.read_bytes()
    if file.suffix in (".svg", ".xml"):
        ElementTree.fromstring(content)
    elif file.suffix == ".pdf":
        assert pytest.importorskip("pypdf").PdfReader(file, strict=True).pages
    elif file.suffix == ".png":
        kinds, place = [], 8
        while place < len(content):
            (size,) = struct.unpack_from(">I", content, place)
            chunk = content[place + 4 : place + 8 + size]
            kinds.append(chunk[:4])
            assert content[place + 8 + size : place + 12 + size] == struct.pack(">I", crc32(chunk))
            place += 12 + size
        assert kinds[-2:] == [b"tEXt", b"IEND"]


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(words, marks=pytest.mark.extra)
        if words[0] == "report" or words[-1].endswith((".png", ".pdf"))
        else words
        for words in DRAWN
    ],
    ids=" ".join,
)
def test_a_file_that_expectitree_wrote_is_replaced_unless_it_was_changed(
    words: tuple[str, ...], folder: Path
) -> None:
    file = folder / words[-1]
    assert run_main(*words).status == 0
    check_format(file)
    first = file.stat().st_ino
    assert run_main(*words).status == 0
    assert file.stat().st_ino != first
    written = file.read_bytes()
    changes = [
        written + b"\n",
        written[:-1],
        written[:50] + b"mine" + written[50:],
        written[: written.index(b"written by expectitree")],
        b"",
    ]
    for changed in changes:
        file.write_bytes(changed)
        refused = run_main(*words)
        assert (refused.status, file.read_bytes()) == (2, changed)
        assert f"{words[-1]} exists already: choose another name, or replace it with" in sentences(
            refused.err
        )
    assert run_main(*words, "--force").status == 0
    assert is_as_written(str(file))


@pytest.mark.parametrize("ending", [*PICTURES, *SHEETS])
@pytest.mark.parametrize("content", [b"a" * 12, b"one\r\ntwo\r\nthree\n", bytes(range(256))])
def test_any_change_of_a_marked_file_is_noticed(ending: str, content: bytes, folder: Path) -> None:
    file = folder / f"x{ending}"
    write_marked(content, str(file))
    assert is_as_written(str(file))
    written = file.read_bytes()
    for place in range(len(written)):
        file.write_bytes(written[:place] + bytes([written[place] ^ 1]) + written[place + 1 :])
        assert not is_as_written(str(file)), place
    for changed in (content, written * 2, written.replace(b"\n", b"\r\n") + b" "):
        file.write_bytes(changed)
        assert not is_as_written(str(file))
    assert not is_as_written(str(folder))
    assert not is_as_written(str(folder / f"none{ending}"))


@pytest.mark.parametrize(
    ("words", "file"),
    [
        (("new", "x.yaml"), "x.yaml"),
        (("convert", RISK, "x.json"), "x.json"),
        (("generate", "uniform", "--plies", "1", "-o", "x.yaml"), "x.yaml"),
        (("rescale", RISK, "--map", "2*u", "-o", "x.yaml"), "x.yaml"),
        (("sheet", "-n", "1", "--trees", "."), "variant-1.yaml"),
    ],
)
def test_a_tree_file_is_never_replaced_without_force(
    words: tuple[str, ...], file: str, folder: Path
) -> None:
    assert run_main(*words).status == 0
    written = (folder / file).read_bytes()
    again = run_main(*words)
    assert (again.status, f"{file} exists already" in again.err) == (2, True)
    assert (folder / file).read_bytes() == written
    assert b"written by" not in written


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("sheet", "unifrm"), "unifrm: there is no such file"),
        (("sheet", "none.yaml"), "none.yaml: there is no such file"),
        (("sheet", "--plies", "9"), "the tree has 1,023 nodes, expected at most 200 for a page"),
        (("sheet", RISK, "--plies", "2"), "--plies is for a family"),
        (("sheet", "--bounds", "3"), "'--bounds': found '3', expected two"),
        pytest.param(
            ("sheet", "-a", "star1", "--min-cuts", "99"), "found 0 of 10 variants",
            marks=pytest.mark.slow,
        ),
        (("draw", "none.yaml", "-o", "sheet.html"), "none.yaml: there is no such file"),
        (("draw", "-e", "chance: {0.5: 1, 0.4: 2}", "-o", "sheet.html"), "probabilities sum to"),
        (("draw", RISK, "--rows", "3", "-o", "sheet.html"), "--rows is for pictures"),
        (("report", "none.yaml", "-o", "sheet.html"), "none.yaml: there is no such file"),
        (("convert", RISK, "sheet.html"), "sheet.html"),
    ],
)  # fmt: skip
def test_arguments_are_checked_before_files(
    words: tuple[str, ...], message: str, folder: Path
) -> None:
    (folder / "sheet.html").write_text("mine")
    done = run_main(*words)
    assert done.status != 0
    assert message in sentences(done.err)
    assert "exists already" not in done.err
    assert names(folder) == ["sheet.html"]
