"""The package: what the index of packages shows, and what other repositories run."""

from __future__ import annotations

import re
import shlex
import tomllib

import yaml
from helpers import ROOT, invoke
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def long_description() -> str:
    """Return what the index shows: the README after the substitutions of `pyproject.toml`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    hook = project["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    text = (ROOT / "README.md").read_text("utf-8")
    for substitution in hook["substitutions"]:
        text, count = re.subn(substitution["pattern"], substitution["replacement"], text)
        assert count, f"nothing matches {substitution['pattern']}"
    return text


def test_links_of_the_long_description_are_absolute() -> None:
    targets = re.findall(r'(?:\]\(|src="|srcset=")([^)"]+)', long_description())
    assert len(targets) >= 3
    assert [target for target in targets if not target.startswith(("https://", "#"))] == []


def test_the_long_description_needs_no_clone() -> None:
    text = long_description()
    assert "pip install expectitree\n" in text
    assert "clone" not in text.split("## A tree")[0]
    assert "sphinx-build" not in text
    names = re.findall(r"example:([\w.-]+)", text)
    assert "risk" in names
    assert set(names) <= set(invoke("new", "--list").output.split())
    assert "trees/" not in text


def test_nothing_links_to_an_address_that_the_project_does_not_have() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    addresses = project["tool"]["expectitree"]["addresses"]
    assert set(addresses) == {"site", "playground", "repository"}
    ours = re.compile(r"github\.com/expectitree|expectitree\.github\.io")
    folders = ("docs", "expectitree", "benchmarks", "trees", "studies")
    files = [*ROOT.glob("*.*"), *(path for name in folders for path in (ROOT / name).rglob("*.*"))]
    texts = {".cff", ".html", ".js", ".json", ".md", ".py", ".toml", ".yaml"}
    if not any(addresses.values()):
        found = [
            str(path)
            for path in files
            if path.suffix in texts and "node_modules" not in path.parts
            if ours.search(path.read_text("utf-8"))
        ]
        assert found == []


def test_the_hook_for_other_repositories_runs() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    program, *words = shlex.split(hook["entry"])
    assert program == "expectitree"
    assert re.search(hook["files"], "trees/risk.yaml")
    assert invoke(*words, str(ROOT / "trees" / "risk.yaml")).exit_code == 0


def test_workflows_have_few_rights_and_pinned_actions() -> None:
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml")):
        text = path.read_text("utf-8")
        workflow = yaml.safe_load(text)
        assert workflow["permissions"] == {"contents": "read"}
        assert all("timeout-minutes" in job for job in workflow["jobs"].values())
        uses = re.findall(r"uses: (.*)", text)
        assert uses
        assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", action) for action in uses)


def test_constraints_fit_the_requirements() -> None:
    """`bash .ci/renew` makes them again after a change of pyproject.toml."""
    lines = (ROOT / ".ci" / "constraints.txt").read_text("utf-8").splitlines()
    constraints = [Requirement(line) for line in lines if not line.startswith("#")]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    extras = project["project"]["optional-dependencies"].values()
    tools = (ROOT / ".ci" / "tools.in").read_text("utf-8").splitlines()
    texts = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    texts += [text for extra in extras for text in extra] + [t for t in tools if t[0] != "#"]
    for wanted in map(Requirement, texts):
        name = canonicalize_name(wanted.name)
        found = [one for one in constraints if canonicalize_name(one.name) == name]
        assert found or name == "expectitree", wanted
        for one in found:
            assert all(wanted.specifier.contains(pin.version) for pin in one.specifier), one
