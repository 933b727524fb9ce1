"""Output: consoles for the two streams, reports in files, progress on standard error, statuses."""

from __future__ import annotations

import codecs
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from dataclasses import dataclass, field
from io import TextIOWrapper
from itertools import islice
from threading import Timer
from traceback import extract_tb
from typing import IO, TYPE_CHECKING, Any

from click import (
    BadParameter,
    ClickException,
    Context,
    Parameter,
    Path,
    UsageError,
    echo,
    get_current_context,
)
from click.exceptions import Exit

from expectitree.analysis.show import rendered
from expectitree.base.errors import Problem, WarningText
from expectitree.base.interrupts import at_exit
from expectitree.base.numbers import escape
from expectitree.files.formats import SUFFIXES
from expectitree.files.writing import OutputFile, whole_file
from expectitree.searches.progress import listening

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

# The exit statuses; 0 is success, and `base.interrupts` has 130.
DOES_NOT_HOLD = 1  # the answer is negative
WRONG_USAGE = 2
NO_TREE = 3  # a file cannot be read or written, or is not a tree
DEFECT = 70  # of the program, as of others that end with the statuses of sysexits.h
# No report has one of these endings: those of trees, and that of a study's results.
NO_REPORT = (*(suffix for suffix in SUFFIXES if suffix not in (".json", ".csv")), ".results.jsonl")
_MEANT = {  # by options that users expect, of one command or of all
    "--json": "write --format json",
    "--csv": "write --format csv",
    "--min": "write `min:` in the tree",
    "sheet --depth": "write --plies",
    "generate --depth": "write --plies",
    "sheet --count": "write --variants, or -n",
    "convert --to": "the ending of OUT sets the format; if OUT is -, write --format",
    "convert -o": "write `expectitree convert IN OUT`, without -o",
    "convert --output": "write `expectitree convert IN OUT`, without --output",
    "draw --format": "for a file, write -o: its ending sets the format, as in -o tree.png",
}
_PORTION = 1000  # pieces of text, such as lines, that are written together
_PATIENCE = 1.0  # seconds before progress is shown
_LONG = 3.0  # seconds before warnings are shown, if there is no answer yet
_MAX_STOP_LENGTH = 0.2  # seconds in which the progress bar disappears


class _OutputPath(Path):
    """A file to write; the value is an `OutputFile`, so an edit made meanwhile is noticed."""

    def convert(self, value: Any, param: Parameter | None, ctx: Context | None) -> OutputFile:
        return OutputFile(os.fsdecode(super().convert(value, param, ctx)))


OUT = _OutputPath(readable=False, allow_dash=True)


@dataclass
class Output:
    """Where the answer of a command goes, and the warnings until it is written."""

    opened: ExitStack = field(default_factory=ExitStack)  # with the file of the report
    report: OutputFile | None = None
    stream: TextIOWrapper | None = None  # of the report; made for its first text
    stdout: Any = None  # while a command runs
    warnings: dict[str, bool] = field(default_factory=dict)  # whether each was printed


def _output() -> Output:
    context = get_current_context(silent=True)
    output = None if context is None else context.obj
    return output or Output()


def make_console(stderr: bool = False) -> Console:
    """Return the console for standard output, or the report's file, or standard error."""
    from expectitree.text import console

    stream = sys.stderr if stderr else standard_output()
    if hasattr(stream, "reconfigure"):
        codecs.register_error("as in JSON", _escaped)
        stream.reconfigure(errors="as in JSON")
    is_file = not stderr and _output().report is not None
    return console.make_console(not is_file, stream)


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """Return the escapes of characters that a stream cannot hold, so that JSON stays valid."""
    import json  # which few outputs need

    assert isinstance(error, UnicodeEncodeError)
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


def standard_output() -> Any:
    """Return the stream for the answer, which `sys.stdout` is not while a command runs."""
    return _output().stdout or sys.stdout


@contextmanager
def printing_to_stderr() -> Iterator[None]:
    """Send to standard error what the code of a game prints, since it is no part of the answer."""
    _output().stdout = sys.stdout
    with redirect_stdout(sys.stderr):
        yield


def show(format: str, report: Any, **settings: Any) -> None:
    """Write a report or several to standard output; `settings` go to the format's renderer."""
    first, *_ = report if isinstance(report, list) else [report]
    write(rendered(first.question, format, make_console(), report, **settings))


def write_lines(lines: Iterable[RenderableType]) -> None:
    """Write renderables to standard output."""
    from expectitree.text.console import to_strings

    write(to_strings(lines, make_console()))


def show_separator(file: str, position: int) -> None:
    """Write the line before the output about one of several files."""
    from rich.text import Text

    from expectitree.text.console import safe

    heading = Text(f"== {safe(file, make_console().options)} ==", style="dim")
    write_lines([""] * (position > 0) + [heading])


def write(pieces: Iterable[str]) -> None:
    """Write text to standard output or to the report's file, in portions worth a system call."""
    stream: IO[str] = _report_stream() or standard_output()
    left = iter(pieces)
    while portion := [*islice(left, _PORTION)]:
        stream.write("".join(portion))
    stream.flush()


def _report_stream() -> TextIOWrapper | None:
    """Return the stream of the report's file, if one was named; open it at the first text."""
    output = _output()
    if output.report is not None and output.stream is None:
        binary = output.opened.enter_context(whole_file(output.report))
        output.stream = TextIOWrapper(binary, "utf-8", newline="\n", write_through=True)
        output.opened.callback(output.stream.detach)
    return output.stream


def choose_report(context: Context, param: Parameter, file: OutputFile | None) -> None:
    """Make an option's file the one that the report is written to."""
    if file == "" or (file or "").lower().endswith(NO_REPORT):
        raise BadParameter(f"{file!r} cannot be a report\nchoose an ending such as .txt or .json")
    if file not in (None, "-"):
        context.obj.report = file


def protect(files: Iterable[str]) -> None:
    """Raise a usage error if the report would replace one of the files that are read."""
    report = _output().report
    if report is None or not os.path.exists(report):
        return
    for file in files:
        if os.path.exists(file) and os.path.samefile(file, report):
            raise UsageError(f"{file} is read here\nname another file for the report.")


@contextmanager
def saving_report(context: Context) -> Iterator[None]:
    """Finally replace the file of the report, if one was named; after an error, keep it."""
    ended = None
    with ExitStack() as opened:
        context.obj = output = Output(opened)
        try:
            yield
        except Exit as error:  # the answer is negative, and the report complete
            ended = error
    if output.stream is not None:  # otherwise no report was named, or every tree had an error
        say(f"{output.report} written")
    if ended is not None:
        raise ended


def say(message: str) -> None:
    """Print a message to standard error."""
    if not (sys.stderr.isatty() or os.environ.get("FORCE_COLOR")):  # rich need not be imported
        _echo([f"{escape(message)}\n"])
        return
    from expectitree.text.console import message_line

    options = make_console(stderr=True).options
    print_error([message_line(options, (message, "none"))])


def say_defect(error: Exception) -> None:
    """Print an error that nothing has expected, in place of its traceback."""
    *_, frame = extract_tb(error.__traceback__)
    place = f"{os.path.basename(frame.filename)}, line {frame.lineno}"
    hint = "this is a defect of expectitree, please report it with the command and the file"
    say_problems([Problem("expectitree", f"{type(error).__name__} in {place}: {error}\n{hint}")])


def say_usage(error: ClickException) -> None:
    """Print a usage error to standard error; without a hint, the usage is one."""
    message = error.format_message().replace("\n\t", " ")  # click lists choices so
    # As in all other messages, no capital letter begins a sentence, and no period ends it.
    shape = r"^[A-Z](?=[a-z]* )|(?<=\()D(?=id you)|\.(?= \(|$)"
    message = re.sub(shape, lambda match: match[0].lower().strip("."), message, flags=re.M)
    context, param = getattr(error, "ctx", None), getattr(error, "param", None)
    option = getattr(error, "option_name", "") if param is None else param.opts[-1]
    command = getattr(context, "info_name", "")
    if hint := _MEANT.get(option) or _MEANT.get(f"{command} {option}"):
        if param is None:
            message = f"no such option {option!r}"
        message += f"\n{hint}"
    if context is not None and "\n" not in message:
        for line in context.get_usage().splitlines():
            say(line)
        message += f"\n{context.command_path} --help"
    say_problems([Problem("expectitree", message)])


def print_error(lines: Iterable[RenderableType]) -> None:
    """Print renderables to standard error."""
    from expectitree.text.console import to_strings

    console = make_console(stderr=True)
    _echo(to_strings(lines, console), console.color_system is not None)


def warn(message: str) -> None:
    """Keep a warning, to print it after the answer, where the user sees it.

    If the answer takes long, a warning says why, and `working` prints it meanwhile.
    """
    _output().warnings.setdefault(message, False)


@contextmanager
def warnings_about(file: str) -> Iterator[None]:
    """Keep what the library warns of meanwhile, to print it after the answer."""
    with warnings.catch_warnings(record=True, action="default") as records:
        yield
    for record in records:
        if issubclass(record.category, UserWarning):  # others are for developers
            warn(WarningText(file, str(record.message)))


def say_warnings(output: Output) -> None:
    """Print the warnings that were not printed yet."""
    for message, is_printed in list(output.warnings.items()):
        if not is_printed:
            output.warnings[message] = True
            problem = getattr(message, "problem", Problem("expectitree", message))
            say_problems([problem], "warning")


@contextmanager
def _after(seconds: float, function: Callable[..., None], *values: Any) -> Iterator[Timer]:
    """Call a function in a thread if the block lasts longer."""
    timer = Timer(seconds, function, values)
    timer.daemon = True
    timer.start()
    try:
        yield timer
    finally:
        timer.cancel()


def say_problems(problems: Iterable[Problem], kind: str = "error") -> None:
    """Print errors or warnings to standard error, with their source lines and what to do."""
    from expectitree.text.console import problem_lines

    print_error(problem_lines(problems, make_console(stderr=True).options, kind))


def _echo(texts: Iterable[str], color: bool = False) -> None:
    """Print to standard error if it is open; the exit status reports the error in any case."""
    try:
        for text in texts:
            echo(text, err=True, nl=False, color=color)
    except OSError:
        discard(sys.stderr)


def discard(stream: Any) -> None:
    """Discard all further output to a stream, so that closing it does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextmanager
def working(what: str, done: int = 0, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on standard error, a terminal, for work of more than a second.

    Yields a function that counts more of the `total` as done. Searches report how far they are.
    """

    def advance(more: int) -> None:
        nonlocal done
        done += more

    def take(count: int, whole: int | None) -> None:  # what a search reports
        nonlocal done, total
        done, total = count if whole is None else min(count, whole), whole

    def show_progress() -> None:
        from rich import progress
        from rich.console import Console

        time = progress.TimeElapsedColumn() if total is None else progress.TimeRemainingColumn()
        columns = [progress.TextColumn("{task.description}"), progress.BarColumn()]
        columns += [progress.MofNCompleteColumn(), time]
        with progress.Progress(*columns, console=Console(stderr=True), transient=True) as shown:
            task = shown.add_task(escape(what), total=None)
            while not timer.finished.wait(0.1):
                shown.update(task, total=total, completed=done)

    def stop() -> None:  # the cursor is hidden meanwhile
        timer.cancel()
        timer.join(_MAX_STOP_LENGTH)

    with _after(_LONG, say_warnings, _output()):
        if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
            yield advance
            return
        with _after(_PATIENCE, show_progress) as timer, listening(take):
            at_exit.append(stop)
            try:
                yield advance
            finally:
                at_exit.remove(stop)
                stop()


def read_line(prompt: str) -> str | None:
    """Return the next line, or None at the end of input; echo a line that comes from a pipe."""
    if _is_terminal(sys.stdin) and _is_terminal(standard_output()):
        with suppress(ImportError):
            import readline  # noqa: F401  # arrow keys work
        try:
            with redirect_stdout(standard_output()):
                return input(prompt)
        except EOFError:
            echo(err=True)
            return None
    echo(prompt, err=True, nl=False)
    typed = sys.stdin.readline() if sys.stdin is not None else ""
    if not typed or not _is_terminal(sys.stdin):
        echo(escape(typed.rstrip("\r\n")), err=True)
    return typed or None


def _is_terminal(stream: IO[str] | None) -> bool:
    return stream is not None and bool(stream.isatty())
