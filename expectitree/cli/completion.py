"""`expectitree completion`: what a shell needs to complete commands, options, files, and paths within a tree.

The protocol is click's. The script that a shell keeps calls the program with
`_EXPECTITREE_COMPLETE=bash_complete` (or zsh, fish, powershell), the line in `COMP_WORDS`, and
either the number of the word that is wanted in `COMP_CWORD`, or the line up to the cursor in
`COMP_BEFORE`. The program prints completions as `type,value`. Beside click's type `plain` there are
`file`, a name or a path that may need quotes, `part`, behind which no space is put since more may
follow, and `folder`, which is both.

Who presses a key wants an answer at once, or none: nothing here takes long, fails, or writes to
standard error.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, suppress
from dataclasses import dataclass
from typing import Any

import click
from click.shell_completion import CompletionItem, ShellComplete

from expectitree.algorithms import ALGORITHMS
from expectitree.cli.terminal import write
from expectitree.errors import TreeError
from expectitree.files import BINARY, SUFFIXES
from expectitree.numbers import display_text
from expectitree.tree.model import Kind, Node, Tree
from expectitree.tree.paths import ROOT, join, split

VARIABLE = "_EXPECTITREE_COMPLETE"
MOST_ITEMS = 1000
MOST_TEXT, MOST_TABLE = (
    1 << 20,
    1 << 25,
)  # bytes of a file that is read for its paths: half a second's work at most

Items = list[CompletionItem]


# ---- What options and arguments complete.


def algorithms(context: click.Context, param: click.Parameter, incomplete: str) -> Items:
    """Complete an algorithm's name; those that are given already are left out."""
    whole = _whole(context, incomplete)
    given = list(whole.params["names"])
    if incomplete in given:
        given.remove(incomplete)
    if whole.get_parameter_source("names") is not click.core.ParameterSource.COMMANDLINE:
        given = []
    return [
        CompletionItem(name)
        for name in ALGORITHMS
        if name.startswith(incomplete) and name not in given
    ]


def orders(context: click.Context, param: click.Parameter, incomplete: str) -> Items:
    """Complete how children are ordered."""
    from expectitree.searches.prepare import ORDERS

    found = [order.partition("SEED")[0] for order in ORDERS if order.startswith(incomplete)]
    return [CompletionItem(order, "part" if order.endswith(":") else "plain") for order in found]


def paths(context: click.Context, param: click.Parameter, incomplete: str) -> Items:
    """Complete a path within the tree that stands on the line, label by label."""
    tree = _tree(_whole(context, incomplete).params)
    return list(_paths(tree, incomplete)) if tree is not None else []


def paths_or_files(context: click.Context, param: click.Parameter, incomplete: str) -> Items:
    """Complete a path within the tree that stands on the line; where none does, the tree's file may stand here."""
    given = _whole(context, incomplete).params
    return (
        paths(context, param, incomplete) if given["files"] or given["texts"] else files(incomplete)
    )


def files(incomplete: str, suffixes: tuple[str, ...] = tuple(SUFFIXES)) -> Items:
    """Return the folders, and the files with these endings, that go on from what is typed; hidden ones after a dot."""
    folder, start = os.path.split(os.path.expanduser(incomplete))
    found = []
    with suppress(OSError, ValueError), os.scandir(folder or ".") as entries:
        for entry in entries:
            name = entry.name
            if (
                name.startswith(start)
                and name.isprintable()
                and (start or not name.startswith("."))
            ):
                is_folder = entry.is_dir()
                if is_folder or os.path.splitext(name)[1].lower() in suffixes:
                    found.append((name, is_folder))
    named = [
        (os.path.join(folder, name), is_folder) for name, is_folder in sorted(found)[:MOST_ITEMS]
    ]
    return [
        CompletionItem(f"{path}/", "folder") if is_folder else CompletionItem(path, "file")
        for path, is_folder in named
    ]


def _paths(tree: Tree, incomplete: str) -> Iterator[CompletionItem]:
    """Yield the paths that go on from what is typed by a label; that of an inner node ends in a slash."""
    if incomplete == ROOT:
        yield CompletionItem(ROOT, "file", _about(tree.root))
        return
    start = _start_of_last_label(incomplete)
    above = split(incomplete[: max(start - 1, 0)])
    try:
        node = tree.find(join(above)).id
    except TreeError:
        return
    first, child = tree.columns.first, tree.columns.child
    found = 0
    for branch in range(first[node], first[node + 1]):
        label = join([tree.branch_label(node, branch)])
        if label.startswith(incomplete[start:]) and label.isprintable():
            path = f"{join(above)}/{label}" if above else label
            below = tree.node(child[branch])
            is_inner = below.kind != Kind.TERMINAL
            yield CompletionItem(
                *((f"{path}/", "part") if is_inner else (path, "file")), _about(below)
            )
            found += 1
            if found == MOST_ITEMS:
                return


def _start_of_last_label(path: str) -> int:
    start = at = 0
    while at < len(path):
        if path[at] == "/":
            start = at + 1
        at += 2 if path[at] == "\\" else 1
    return start


def _about(node: Node) -> str:
    if node.kind != Kind.TERMINAL:
        return node.kind.name
    return "?" if node.utility is None else display_text(node.utility)


# ---- The tree on the command line.


def _whole(context: click.Context, incomplete: str) -> click.Context:
    """Return a context with all that stands on the line, behind the cursor too."""
    line = context.find_root().obj
    if not isinstance(line, Line) or context.info_name not in line.before:
        return context
    words = [*line.before, line.incomplete, *line.after]
    words = words[words.index(context.info_name) + 1 :]
    return context.command.make_context(
        context.info_name, words, parent=context.parent, resilient_parsing=True
    )


def _tree(given: dict[str, Any]) -> Tree | None:
    """Return the first tree that stands on the line, as it will be searched; None where it is none, or large."""
    from expectitree.files import load, loads
    from expectitree.searches.prepare import prepare

    with suppress(Exception):
        if given["texts"]:
            tree = loads(given["texts"][0], name="-e")
        else:
            file = os.path.expanduser(given["files"][0])
            is_table = SUFFIXES.get(os.path.splitext(file)[1].lower()) in BINARY
            if not os.path.isfile(file) or os.path.getsize(file) > (
                MOST_TABLE if is_table else MOST_TEXT
            ):
                return None
            tree = load(file)
        with suppress(Exception):
            tree = prepare(tree, given["depth"], given["order"])
        return tree
    return None


# ---- The shells.


@dataclass(frozen=True)
class Line:
    """The words of a command line, without the program's name, quotes and escapes taken away."""

    before: list[str]
    incomplete: str
    after: list[str]


class _Shell(ShellComplete):
    """What all shells have in common."""

    script: str

    @staticmethod
    def words(text: str) -> list[str]:
        """Return the words of a line, the last of which may be unfinished."""
        parser = shlex.shlex(text, posix=True)
        parser.whitespace_split, parser.commenters = True, ""
        words: list[str] = []
        try:
            words.extend(parser)
        except ValueError:  # a quote or an escape is open at the end
            words.append(parser.token)
        return words

    def line(self) -> Line:
        """Return the line, as the environment tells it."""
        text = os.environ.get("COMP_WORDS", "")
        before = os.environ.get("COMP_BEFORE")
        if before is None:
            words, wanted = self.words(text), int(os.environ["COMP_CWORD"])
            return Line(
                words[1:wanted], words[wanted] if wanted < len(words) else "", words[wanted + 1 :]
            )
        *done, incomplete = self.words(before + _CURSOR)
        after = re.sub(
            r"^\S+", "", text[len(before) :]
        )  # what is left of the word at the cursor is not asked for
        return Line(done[1:], incomplete.removesuffix(_CURSOR), self.words(after))

    def complete(self) -> str:
        line = self.line()
        self.ctx_args = {"obj": line}
        items = self.get_completions(list(line.before), line.incomplete)
        option, equals, _ = line.incomplete.partition("=")
        is_joined = equals and option.startswith("-") and "--" not in line.before
        return "\n".join(
            self.format(item, f"{option}=" if is_joined else "", line.incomplete) for item in items
        )

    def format(self, item: CompletionItem, option: str, incomplete: str) -> str:
        """Return an item as the script reads it; `option` is what an option's value is joined to, as in `--at=`."""
        raise NotImplementedError


class _Bash(_Shell):
    name = "bash"
    script = """\
# Completion of expectitree in bash. In ~/.bashrc:
#   eval "$(expectitree completion bash)"
_expectitree_completion() {
    local type value last=
    COMPREPLY=()
    while IFS=, read -r type value; do
        [[ -n $value ]] || continue
        [[ $type != folder ]] || value=${value%/}  # bash puts it there itself
        COMPREPLY+=("$value")
        last=$type
        [[ $type == plain ]] || compopt -o filenames 2>/dev/null  # these are quoted where they must be
    done < <(
        env _EXPECTITREE_COMPLETE=bash_complete COMP_WORDS="$COMP_LINE" COMP_BEFORE="${COMP_LINE:0:COMP_POINT}" \\
            COMP_CURRENT="${COMP_WORDS[COMP_CWORD]}" "${1/#\\~/$HOME}" 2>/dev/null
    )
    if [[ ${#COMPREPLY[@]} == 1 && $last == part ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -o nosort -F _expectitree_completion expectitree 2>/dev/null ||
    complete -F _expectitree_completion expectitree
"""

    def format(self, item: CompletionItem, option: str, incomplete: str) -> str:
        # bash takes only what stands behind the last = or : of a word, and wants no more than that.
        current = os.environ.get("COMP_CURRENT")
        value = option + item.value
        if current is not None:
            current = self.words(current + _CURSOR)[-1].removesuffix(_CURSOR)
            if not current.strip("=:"):
                value = value[len(incomplete) :]
            elif incomplete.endswith(current):
                value = value[len(incomplete) - len(current) :]
        return f"{item.type},{value}"


class _Zsh(_Shell):
    name = "zsh"
    script = """\
#compdef expectitree
# Completion of expectitree in zsh. In ~/.zshrc, after compinit:
#   eval "$(expectitree completion zsh)"
_expectitree_completion() {
    local -a lines whole parts
    local type value help before="${(j: :)words[1,CURRENT-1]} $QIPREFIX$PREFIX"
    lines=("${(@f)$(env _EXPECTITREE_COMPLETE=zsh_complete COMP_BEFORE="$before" \\
        COMP_WORDS="$before$SUFFIX$QISUFFIX ${(j: :)words[CURRENT+1,-1]}" "${~words[1]}" 2>/dev/null)}")
    for type value help in "${lines[@]}"; do
        [[ -n $value ]] || continue
        value=${${value//\\\\/\\\\\\\\}//:/\\\\:}
        [[ $help == _ ]] || value+=:$help
        if [[ $type == part || $type == folder ]]; then
            parts+=("$value")
        else
            whole+=("$value")
        fi
    done
    (( ! $#whole )) || _describe -V 'finished' whole -U
    (( ! $#parts )) || _describe -V 'unfinished' parts -U -S ''
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _expectitree_completion "$@"
else
    compdef _expectitree_completion expectitree
fi
"""

    def format(self, item: CompletionItem, option: str, incomplete: str) -> str:
        return f"{item.type}\n{option}{item.value}\n{_one_line(item.help) or '_'}"


class _Fish(_Shell):
    name = "fish"
    script = """\
# Completion of expectitree in fish. In ~/.config/fish/config.fish:
#   expectitree completion fish | source
function __expectitree_complete
    set -lx _EXPECTITREE_COMPLETE fish_complete
    set -lx COMP_WORDS (commandline -p | string collect)
    set -lx COMP_BEFORE (commandline -cp | string collect)
    set -l program (commandline -opc)[1]
    $program 2>/dev/null | string replace -r '^[a-z]+,' ''
end
complete --command expectitree --no-files --keep-order --arguments '(__expectitree_complete)'
"""

    def format(self, item: CompletionItem, option: str, incomplete: str) -> str:
        value, home = option + item.value, os.path.expanduser("~/")
        if incomplete.startswith("~/") and value.startswith(
            home
        ):  # fish wants to see what is typed
            value = "~/" + value.removeprefix(home)
        return f"{item.type},{value}\t{_one_line(item.help)}".rstrip("\t")


class _PowerShell(_Shell):
    name = "powershell"
    script = """\
# Completion of expectitree in PowerShell. In the file that $PROFILE names:
#   expectitree completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName expectitree, expectitree.exe -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $line = $commandAst.ToString()
    $end = $cursorPosition - $commandAst.Extent.StartOffset
    $told = @{
        _EXPECTITREE_COMPLETE = 'powershell_complete'
        COMP_WORDS = $line
        COMP_BEFORE = $line.Substring(0, [Math]::Min($end, $line.Length)).PadRight($end)
    }
    $encoding = [Console]::OutputEncoding
    try {
        [Console]::OutputEncoding = [System.Text.Encoding]::UTF8
        foreach ($name in $told.Keys) { Set-Item "env:$name" $told[$name] }
        $found = @(& $commandAst.GetCommandName() 2>$null)
    } finally {
        foreach ($name in $told.Keys) { Remove-Item "env:$name" }
        [Console]::OutputEncoding = $encoding
    }
    foreach ($item in $found | Where-Object { $_ }) {
        $value, $shown, $help = $item.Substring($item.IndexOf(',') + 1) -split "`t"
        [System.Management.Automation.CompletionResult]::new($value, $shown, 'ParameterValue', $help)
    }
}
"""

    @staticmethod
    def words(text: str) -> list[str]:
        """Return the words of a line: a backquote escapes, and '' within quotes is a quote."""
        found = re.findall(
            r"""(?:'(?:[^']|'')*(?:'|$)|"(?:[^"`]|`.|"")*(?:"|$)|`.|[^\s'"`])+""", text, re.DOTALL
        )
        return [re.sub(_QUOTED, _unquoted, word, flags=re.DOTALL) for word in found]

    def format(self, item: CompletionItem, option: str, incomplete: str) -> str:
        value = option + item.value
        quoted = (
            value
            if re.fullmatch(r"[\w./\\:=+-][\w./\\:=+#%~-]*", value)
            else "'" + value.replace("'", "''") + "'"
        )
        return f"{item.type},{quoted}\t{value}\t{_one_line(item.help) or value}"


_CURSOR = "\0"  # stands where the cursor is, so that a space before it is seen
_QUOTED = r"""'((?:[^']|'')*)(?:'|$)|"((?:[^"`]|`.|"")*)(?:"|$)|`(.)"""


def _unquoted(match: re.Match[str]) -> str:
    single, double, escaped = match.groups()
    if single is not None:
        return str(single).replace("''", "'")
    return str(escaped) if escaped is not None else re.sub(r'`(.)|"(")', r"\1\2", double)


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split())


SHELLS: dict[str, type[_Shell]] = {shell.name: shell for shell in (_Bash, _Zsh, _Fish, _PowerShell)}


def answer(cli: click.Command) -> int:
    """Print what `_EXPECTITREE_COMPLETE` asks for, completions or a shell's script; return the exit status."""
    shell, _, instruction = os.environ.get(VARIABLE, "").partition("_")
    if shell not in SHELLS or instruction not in ("complete", "source"):
        return 1
    output = ""
    with open(os.devnull, "w") as nowhere, redirect_stderr(nowhere), suppress(Exception):
        chosen = SHELLS[shell]
        output = (
            chosen.script
            if instruction == "source"
            else f"{chosen(cli, {}, 'expectitree', VARIABLE).complete()}\n"
        )
    with suppress(OSError, ValueError):
        sys.stdout.buffer.write(
            output.encode("utf-8", "surrogateescape")
        )  # as bytes: Windows would put in \r
        sys.stdout.flush()
    return 0


@click.command("completion")
@click.argument("shell", type=click.Choice(list(SHELLS)))
def command(shell: str) -> None:
    """Print the script by which a shell completes commands, options, tree files, and paths within a tree.

    \b
    bash         eval "$(expectitree completion bash)"      in ~/.bashrc
    zsh          eval "$(expectitree completion zsh)"       in ~/.zshrc, after compinit
    fish         expectitree completion fish | source       in config.fish
    powershell   expectitree completion powershell |
                 Out-String | Invoke-Expression             in the file that $PROFILE names
    """
    write([SHELLS[shell].script])
