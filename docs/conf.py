"""Sphinx builds the documentation site from this folder: `sphinx-build -W docs site`."""

from __future__ import annotations

import re
import sys
import tomllib
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from types import ModuleType

from click import Context
from docutils import nodes
from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx
from sphinx.util import logging

import expectitree
from expectitree.base.tables import COMMANDS
from expectitree.cli import cli
from expectitree.cli.help import OWN, SECTIONS

project = "expectitree"
author = "The expectitree authors"
copyright = f"2026, {author}"
version = release = expectitree.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_click",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["playground"]
suppress_warnings = ["myst.header"]  # a table that a command prints has a heading of its own

# Documents
smartquotes = False  # `--all` has two hyphens
highlight_language = "text"
default_role = "code"  # one backtick, as in docstrings and help texts
myst_enable_extensions = ["attrs_inline", "colon_fence"]
myst_heading_anchors = 3
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True

# The Python reference
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_class_signature = "separated"
autodoc_default_options = {"exclude-members": "__init__, __new__"}
python_maximum_signature_line_length = 80
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True  # attributes as a list, as arguments are

# Pages
html_theme = "pydata_sphinx_theme"
html_title = "expectitree"
html_static_path = ["_static"]
templates_path = ["_templates"]
html_css_files = ["site.css"]
html_favicon = "_static/icon.svg"
html_search_scorer = str(Path(__file__).parent / "search.js")  # which also shows better excerpts
html_sidebars = {"index": [], "start": []}
html_show_sourcelink = False
html_theme_options: dict[str, object] = {
    "logo": {"text": "expectitree"},
    "navbar_align": "left",
    "navbar_center": ["navbar-nav", "playground-link"],
    "header_links_before_dropdown": 7,
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}

# Where the project is, if it is published
_PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text("utf-8"))
_ADDRESSES = _PROJECT["tool"]["expectitree"]["addresses"]
html_baseurl = _ADDRESSES["site"]
if _ADDRESSES["repository"]:
    _link = {"name": "Repository", "url": _ADDRESSES["repository"], "icon": "fa-solid fa-code-fork"}
    html_theme_options["icon_links"] = [_link]

# The manual page, from the same text as the command line's reference
man_pages = [
    ("reference/command-line", "expectitree", "evaluate game trees with chance nodes", author, 1)
]


# A module of the commands, which are made when they are asked for, for `sphinx_click` to import.
_COMMANDS = ModuleType("expectitree_commands")
sys.modules[_COMMANDS.__name__] = _COMMANDS


def write_commands(app: Sphinx) -> None:
    """Write the sources of the commands' pages, which `sphinx_click` fills from the help texts."""
    folder = Path(app.srcdir) / "reference" / "commands"
    folder.mkdir(exist_ok=True)
    pages = {f"{name}.rst": _page(name) for name in COMMANDS}
    for path in folder.iterdir():
        if path.name not in pages:
            path.unlink()
    for name, text in pages.items():
        if not (folder / name).exists() or (folder / name).read_text("utf-8") != text:
            (folder / name).write_text(text, "utf-8")  # Sphinx reads the page again


def _page(name: str) -> str:
    setattr(_COMMANDS, name, cli.get_command(Context(cli), name))
    path = f"{_COMMANDS.__name__}:{name}"
    return f":orphan:\n\n.. click:: {path}\n   :prog: expectitree {name}\n   :nested: none\n"


def list_commands(app: Sphinx, name: str, source: list[str]) -> None:
    """List the commands by group. The manual page has all of them itself."""
    if name == "reference/command-line" and app.builder.name != "man":
        lists, names = "", ""
        for title, group in groupby(COMMANDS.values(), key=attrgetter("group")):
            lists += f"## {title}\n\n"
            for row in group:
                lists += f"- [{row.name}](commands/{row.name}.rst): {row.about}\n"
                names += f"{row.name} <commands/{row.name}>\n"
            lists += "\n"
        source[0] = source[0].replace(":nested: full", ":nested: none")
        lists += f"```{{toctree}}\n:hidden:\n\n{names}```\n\n"
        source[0] = source[0].replace("```{eval-rst}", f"{lists}```{{eval-rst}}")


def show_clone(app: Sphinx, name: str, source: list[str]) -> None:
    """Show how to clone the repository, if it is published."""
    if name == "start" and _ADDRESSES["repository"]:
        command = f"```sh\ngit clone {_ADDRESSES['repository']}\ncd expectitree\n```"
        source[0] = source[0].replace("<!-- clone -->", command)


def add_status(app: Sphinx, context: Context, lines: list[str]) -> None:
    """Name the page about exit statuses, which are the same for all commands."""
    if context.command is not cli and app.builder.name != "man":
        lines += [":doc:`/reference/errors` lists the exit statuses.", ""]


def keep_columns(app: Sphinx, context: Context, lines: list[str]) -> None:
    """Show the preformatted lines of a help text as they are, not as a line block."""
    out: list[str] = []
    for line in lines:
        if line == "|" or line.startswith("| "):
            if not out or not out[-1].startswith("    "):
                out += ["", ".. code-block:: text", ""]
            out.append(f"    {line[2:]}".rstrip() or "    ")
        else:
            out.append(line)
    lines[:] = out


def shorten_options(app: Sphinx, context: Context, lines: list[str]) -> None:
    """Show choices as the metavariable and a default as a sentence, like `--help`."""
    text = "\n".join(lines)
    choices = r"(?m)^(\.\. option::.*) <\w+>\n((?:(?!\.\.).*\n)*?) +:options: (.*)$"
    text = re.sub(choices, lambda m: f"{m[1]} <{m[3].replace(' ', '')}>\n{m[2]}", text)
    default = r"(?m)\n *\n( +):default: ``'?(.*?)'?``$"
    lines[:] = re.sub(default, r"\n\1Default: ``\2``.", text).split("\n")


def group_options(app: Sphinx, context: Context, lines: list[str]) -> None:
    """Put the options into the sections that `--help-all` has, each with its title."""
    section = {
        name: getattr(param, "section", OWN)
        for param in context.command.params
        for name in param.opts
    }
    groups: dict[str, str] = dict.fromkeys(SECTIONS, "")
    for block in re.split(r"(?m)^(?=\.\. option::)", "\n".join(lines)):
        name = re.match(r"\.\. option:: ([^\s,]+)", block)
        groups[section.get(name[1], OWN) if name else OWN] += f"{block.rstrip()}\n\n"
    text = groups.pop(OWN)
    for title, options in groups.items():
        if options:
            text += f".. rubric:: {title}\n\n{options}"
    lines[:] = text.split("\n")


def leave_out(app: Sphinx, context: Context, lines: list[str]) -> None:
    """Leave out what the page says once for all commands."""
    lines.clear()


def shape_manual(app: Sphinx, doctree: nodes.document, name: str) -> None:
    """Give the manual page the sections that manual pages have."""
    if app.builder.name != "man":
        return
    for link in [link for link in doctree.findall(nodes.reference) if not link.get("refuri")]:
        link.replace_self(nodes.Text(link.astext()))  # other pages of the site are not at hand
    page = next(iter(doctree.findall(nodes.section)))
    first = page.first_child_matching_class(nodes.section)
    introduction, program = page[1:first], page[first]
    commands = [child for child in program if isinstance(child, nodes.section)]
    description = [child for child in program[1:] if child not in commands]
    page[1 : first + 1] = [
        nodes.section("", nodes.title("", heading), *content)
        for heading, content in [
            ("Synopsis", introduction),
            ("Description", description),
            ("Commands", commands),
        ]
    ]


def prepare_page(app: Sphinx, document: nodes.document) -> None:
    """Keep lists and pages for developers out of the search; use dark pictures if there are any."""
    name = app.env.docname
    if name.startswith(("decisions/", "contributing/")) or name.endswith("/index"):
        app.env.metadata[name]["nosearch"] = "true"
    for image in list(document.findall(nodes.image)):
        dark = image["uri"].replace(".svg", "-dark.svg")
        if dark != image["uri"] and (Path(app.srcdir) / dark).exists():
            twin = image.deepcopy()
            image["classes"].append("only-light")
            twin["classes"].append("only-dark")
            twin["uri"], twin["candidates"] = dark, {"*": dark}
            app.env.images.add_file(name, dark)
            image.parent.insert(image.parent.index(image) + 1, twin)


def add_playground(app: Sphinx, exception: Exception | None) -> None:
    """Put the playground next to the pages."""
    if exception is None and app.builder.name == "html":
        sys.path.insert(0, str(Path(__file__).parent / "playground"))
        from build import build

        folder = Path(app.outdir) / "playground"
        try:
            build(folder)
        except SystemExit as error:
            logging.getLogger(__name__).warning("%s", error)
            (folder / "index.html").write_text(f"<p>{error}, and build the site again.", "utf-8")


def setup(app: Sphinx) -> None:
    """Connect the functions above to the events of the build."""
    app.add_lexer("console", TextLexer)  # commands and their output are not shell code
    app.connect("builder-inited", write_commands)
    app.connect("source-read", list_commands)
    app.connect("source-read", show_clone)
    app.connect("sphinx-click-process-description", keep_columns)
    app.connect("sphinx-click-process-epilog", add_status)
    app.connect("sphinx-click-process-options", shorten_options)
    app.connect("sphinx-click-process-options", group_options)
    app.connect("sphinx-click-process-arguments", leave_out)
    app.add_event("sphinx-click-process-envars")  # the extension emits it under this name
    app.connect("sphinx-click-process-envars", leave_out)
    app.connect("doctree-resolved", shape_manual)
    app.connect("doctree-read", prepare_page)
    app.connect("build-finished", add_playground)
