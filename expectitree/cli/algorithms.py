"""The algorithms of a command: those of the option -a, with their own options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from click import UsageError

from expectitree.base.algorithms import ALGORITHMS, OPTIONS, Algorithm, name_of
from expectitree.base.algorithms import algorithm as find_algorithm
from expectitree.base.tree.model import Tree
from expectitree.cli.terminal import say
from expectitree.searches.engine import path_children, usual_algorithms


class ChosenAlgorithms:
    """The algorithms that the user named, by default all, with their options."""

    def __init__(self, names: Sequence[str], tuning: Mapping[str, int | str]) -> None:
        self.are_named = bool(names)  # by the user; otherwise these are all algorithms
        self.tuning = tuning
        options = {name.replace("_", "-"): value for name, value in tuning.items()}
        chosen = {name_of(name): name for name in names or ALGORITHMS}
        for key in options:
            owner = OPTIONS[key].algorithm
            if owner not in chosen:
                raise UsageError(f"--{key} is for {owner}\nuse -a {owner}, or remove it.")
        self.all = []
        for name, asked in chosen.items():
            known = {key: text for key, text in options.items() if OPTIONS[key].algorithm == name}
            self.all.append(find_algorithm(asked, **known))

    def or_only(self, name: str) -> ChosenAlgorithms:
        """Return the algorithms that the user named, or by default only the one with this name."""
        return self if self.are_named else ChosenAlgorithms([name], self.tuning)

    def of_game(self, is_repeated: bool = False) -> Algorithm | None:
        """Return the algorithm that searches games without their whole trees: by default star2.

        Return None if there are several, or if the search must be repeated in the tree that it has
        made, and cannot be: best-first would choose other leaves there.
        """
        chosen = self.or_only("star2").all
        if len(chosen) > 1 or (is_repeated and not chosen[0].in_order):
            return None
        return chosen[0]

    def only(self, complaint: str) -> Algorithm:
        """Return the one algorithm; raise a usage error with the complaint if there are several."""
        if len(self.all) > 1:
            raise UsageError(complaint)
        return self.all[0]

    def for_tree(self, file: str, tree: Tree) -> list[Algorithm]:
        """Tell the user which algorithms would be slow on the tree; drop them if none was named.

        If none was named, also drop those that cannot search the tree.
        """
        usual = usual_algorithms(tree, self.all)
        others = [algorithm.name for algorithm in self.all if algorithm not in usual]
        if tree.attitude is not None:
            if others and not self.are_named:
                say(f"{file}: with an attitude to risk, expectiminimax is the only search")
            others = []
        for name in others:
            if self.are_named:
                say(
                    f"{file}: {name} may be slow on this tree: the paths to its leaves have "
                    f"{path_children(tree):,.0f} children to compare; --max-visits N stops it"
                )
            else:
                say(f"{file}: {name} is left out, it is slow on so many leaves: -a {name} runs it")
        return self.all if self.are_named else usual
