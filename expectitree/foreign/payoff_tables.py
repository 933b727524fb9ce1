"""Payoff tables in CSV, as textbooks and spreadsheets write them.

    ,strong market,weak market
    large plant,200000,-180000
    small plant,100000,-20000
    probability,0.5,0.5

A line is a row or a column: its name, and its numbers. First, `arrange` finds out which lines are
actions, states, probabilities and summaries; tables of words show what a name means. Then the table
becomes a MAX node over its actions. Below each is a CHANCE node of the event `state`, with the
states as outcomes and the same probabilities.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from operator import mul
from typing import Any, TypeAlias, Unpack

from expectitree.base.errors import NumberError
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import message_text, quote
from expectitree.base.reading import to_probability
from expectitree.base.tree.columns import NORMALIZED, SUM_TOLERANCE
from expectitree.base.tree.model import Tree
from expectitree.base.tree.paths import composed, join
from expectitree.files.grammar.document import Data, Place
from expectitree.files.grammar.values import NORMALIZE
from expectitree.files.grammar.words import key_list
from expectitree.files.rows import ReadOptions, Warn
from expectitree.foreign.shared import Fields
from expectitree.foreign.spreadsheets import Cell, Spreadsheet, words

EVENT = "state"  # of every chance node, for `expectitree information --event state`
Line: TypeAlias = Sequence[Cell]

# Names as `words` returns them: in small letters, without accents and signs.
_PROBABILITY = re.compile(
    r"(?:(?:a )?prior[i ]? ?|state |estimated |subjective |assumed )?"
    r"(?:probabili[td]|probs?\b|proba\b|(?:eintritts)?wahrsch|waarschijnlijkh|sannolikh|sannsynligh"
    r"|sandsynligh|todennakois|prawdopodob|pravdepodob|valoszinus|olas[iı]l[iı]k|вероятност"
    r"|概率|確率|機率|确率)\w*(?: .*)?"
    # P, P(s), P(S = s1), Pr in %, and w(s) in German.
    r"|(?:p|pr|w(?= ))(?: in)?(?: (?:[^\W\d]{1,2}|state|event|theta)\d?(?: (?:[ij]|s\d))?)?"
    r"|(?:a )?prior[is]?(?: p)?|likelihoods?|wkt|w ?keit|kans(?:en)?"
)
_STATES = re.compile(
    r"(?:states?|scenarios?|events?|(?:umwelt)?zustande?|umweltlagen?|szenari(?:o|en)|etats?"
    r"|estados?|escenarios?|cenarios?|stat[oi])"
    r"(?: of (?:nature|the world)| de la \w+| da \w+| di natura)?"
)
_COSTS = re.compile(
    r"(?:.* )?(?:costs?|kosten|couts?|cost[oei]s?|custos?|loss(?:es)?|verluste?)(?: .*)?"
)
# Names of lines that may summarize those before them, by the summary.
_SUMMARY = re.compile(
    r"""(?:(?:row|column|col|zeilen|spalten|ligne|colonne|fila|columna|riga|linha|coluna)s?\ ?)?
    (?:(?P<maximum>max|maximum|maxima|maximo|massimo|maximax|minimax)
    |(?P<minimum>min|minimum|minima|minimo|maximin|wald)
    |(?P<sum>(?:grand\ )?totals?|totale|totaux|sums?|summen?|gesamt|somme|suma|soma)
    |(?P<regret>(?:max\ |maximum\ |minimax\ )?(?:regret|opportunity\ loss|bedauern)|savage|eol)
    |(?P<mean>average|avg|mean|(?:weighted|expected)(?:\ average|\ monetary)?|exp|emv|ev|e\ x|ew|ve
        |vme|laplace|equally\ likely|bayes|mittelwert|durchschnitt|erwartungswert|moyenne|esperance
        |hurwicz|realism|valeur\ esperee|media|promedio|valor\ esperado|valore\ atteso|gemiddelde))
    (?:\ (?:payoff|profit|cost|value|return|gain)s?)?
    (?:\ (?:emv|ev|ew|avg|(?:in|of|by|per)\ (?:row|column)))?""",
    re.VERBOSE,
)
_LAYOUT = (
    "write the names of states in the first row, and a row for each action that begins with its "
    "name; delete lines above the table, and an empty first column"
)
_ROUNDED = Fraction(1, 50)  # the most by which rounded probabilities may miss 1
_NEARLY = Fraction(1, 200)  # of the greatest number: the most by which a rounded one may be off
# A name with a probability at its end: `good (0.4)`, `good, p = 0.4`, `good [40 %]`, `good 2/5`.
_NAME_WITH_SHARE = re.compile(
    r".*?(?<![-\w.,/])([0-9]*[.,][0-9]+(?: ?%)?|[0-9]+(?:/[0-9]+| ?%))[)\] ]*\Z|.+"
)


def read(
    text: str, name: str, warn: Warn, exact_nodes: int, **options: Unpack[ReadOptions]
) -> Tree:
    """Return the tree of a table, in which MIN chooses if its numbers are costs to `minimize`.

    With `transpose`, its rows are states. `probabilities` is the name of their row or column.
    Raises `FileError` with everything that is wrong.
    """
    table = Table(text, name, options.get("normalize", False))
    table.options = options
    tree = table.tree(table.root, warn, exact_nodes)
    return tree.changed(has_probabilities=any(cell.text for cell in table.chances[1:]))


class Table(Spreadsheet):
    """The lines of one table, and their translation."""

    options: ReadOptions
    states: Line  # their names
    actions: Sequence[Line]
    chances: Line  # the line of probabilities, whose cells are empty if there is none
    sign = ""  # that probabilities lack: % if they are percentages

    def root(self) -> Data:
        self.arrange()
        self.check_heading()
        self.check_names("state", self.states)
        self.check_names("action", [line[0] for line in self.actions])
        kind = "min" if self.options.get("minimize") else "max"
        shares = self.shares()
        if not shares:
            self.notes.append(
                "found no row or column `probability`: the states (columns, or rows with "
                "--transpose) count as equally likely (Laplace); `expectitree risk` applies the "
                "rules that need no probabilities"
            )
            self.note_likely_chances()
        actions: Fields = {}
        for name, *cells in self.actions:
            outcomes: Fields = {}
            for state, cell, share in zip(self.states, cells, shares or cells, strict=True):
                path = join([name.text, state.text])
                outcome: Fields = {}
                if shares:
                    outcome["p"] = share, Place(cell)
                outcome["utility"] = self.read(self.payoff, cell, path), Place(cell)
                outcomes[state.text] = self.mapping(outcome), Place(state)
            chance: Fields = {"event": (EVENT, Place(name))}
            chance["chance"] = self.mapping(outcomes), Place(name)
            actions[name.text] = self.mapping(chance), Place(name)
        return self.mapping({kind: (self.mapping(actions), Place())})

    def shares(self) -> list[str]:
        """Return the probabilities as the grammar writes them; none if the table has none."""
        name, *cells = self.chances
        if not any(cell.text for cell in cells):
            if name.text:
                self.fault(name, "no probability is written here\nwrite them, or delete this line")
            return []
        if sum(self.values(cells)) > 50 and not any("%" in cell.text for cell in cells):
            self.sign = "%"
        texts = [self.read(self.probability, cell) for cell in cells]
        total: Any = sum(to_probability(text, exact=True) for text in texts)
        tolerance: float | Fraction = SUM_TOLERANCE
        if self.source.normalize:
            tolerance = NORMALIZED
        if abs(total - 1) > tolerance and not self.problems.found:
            self.fault(
                cells[0],
                f"the probabilities sum to {message_text(total)}, expected 1\ncorrect them, or "
                f"{NORMALIZE}; a third is written 1/3",
            )
        return texts

    def probability(self, cell: Cell) -> str:
        """Return the probability in a cell as the grammar writes it."""
        if not cell.text:
            raise NumberError("the cell is empty\nwrite a probability, or delete the state")
        text = self.number(cell).replace(" %", "%") + self.sign
        to_probability(text, exact=True)
        return text

    # ---- The layout.

    def arrange(self) -> None:
        """Set the states, actions and probabilities; raise `FileError` if it is unclear."""
        rows = self.grid()
        columns: list[Line] = [*zip(*rows, strict=True)]
        in_rows, in_columns = map(self.chances_in, (rows, columns))
        chances = in_rows + in_columns
        corner = words(rows[0][0].text)
        is_turned = self.options.get("transpose", False)
        name = composed(self.options.get("probabilities", ""))
        if name and not chances:
            hint = did_you_mean(name, [line[0].text for line in rows[1:] + columns[1:]])
            self.refuse(Cell(""), f"--probabilities: no row or column is {quote(name)}{hint}")
        if len(chances) > 1:
            self.refuse(
                chances[1][0],
                f"these are probabilities, too, like {quote(chances[0][0].text)}\nkeep one, or "
                "choose one with --probabilities",
            )
        if is_turned and in_rows:
            self.refuse(
                in_rows[0][0],
                "these are the probabilities of columns, so columns are states\nremove --transpose",
            )
        if not is_turned and not chances and _STATES.fullmatch(corner):
            is_turned = True
            self.notes.append(
                "the first cell names states: rows are read as states, and columns as actions\nif "
                "that is wrong, write `action` there"
            )
        if _COSTS.fullmatch(corner) and not self.options.get("minimize"):
            self.notes.append("the first cell names costs\nif small is good, add --minimize")
        header, *lines = rows
        if is_turned or in_columns:
            header, *lines = columns
        actions = [line for line in lines if line not in chances]
        if not any(line[0].text for line in actions):
            self.refuse(Cell(""), f"the table has no actions\n{_LAYOUT}")
        actions = self.without_summaries(actions, 1, "an action")
        chances = chances or [[Cell("")] * len(header)]
        first, *states = zip(header, *chances, *actions, strict=True)
        kept = self.without_summaries(states, 2, "a state")
        (_, *self.states), self.chances, *self.actions = zip(first, *kept, strict=True)

    def check_heading(self) -> None:
        """Note that the names of states may be payoffs; raise `FileError` if two are equal."""
        values = self.values(self.states)
        # States such as the demand are numbers, too, but increasing ones.
        if not values or sum(values) == 1 or (values[0] >= 0 and sorted({*values}) == values):
            return
        names = key_list([cell.text for cell in self.states])
        note = (
            f"the numbers {names} are read as the names of states\nif they are payoffs, add a "
            "first row with the names of states, such as `,state 1,state 2`"
        )
        if len({*values}) < len(values):
            self.refuse(self.states[0], note)
        self.notes.append(note)

    def grid(self) -> list[Line]:
        """Return rows of equal length; the first row and the first column are names."""
        header, *rows = self.read_rows()
        width = len(header)
        if width < 2:
            self.refuse(Cell(""), f"the table has no states\n{_LAYOUT}")
        for row in [row for row in rows if len(row) > width]:
            self.fault(
                row[width],
                f"the row {quote(row[0].text)} is longer than the first row\nname each column "
                'there, and put a number such as "1,234" in quotes',
            )
        self.raise_any()
        return [header, *(row + [row[-1]._replace(text="")] * (width - len(row)) for row in rows)]

    def refuse(self, cell: Cell, message: str) -> None:
        self.fault(cell, message)
        self.raise_any()

    def values(self, cells: Line) -> list[Fraction]:
        """Return the numbers in cells; none if a cell has none."""
        try:
            return [*map(self.value, cells)]
        except NumberError:
            return []

    # ---- Probabilities.

    def chances_in(self, lines: list[Line]) -> list[Line]:
        """Return the lines of probabilities, or one of those that names have: `good (0.4)`."""
        header, *others = lines
        name = composed(self.options.get("probabilities", ""))
        if name:
            return [line for line in others if line[0].text == name]
        chances = [line for line in others if _PROBABILITY.fullmatch(words(line[0].text))]
        shares = [_NAME_WITH_SHARE.sub(r"\1", cell.text) for cell in header[1:]]
        texts = ["", *(re.sub("[.,]", self.mark, text) for text in shares)]
        line = [cell._replace(text=text) for cell, text in zip(header, texts, strict=True)]
        # A sum that is nearly 1 is an error, not one of other numbers.
        total: Any = sum(self.values(line[1:]))
        if chances or abs(total - 1) > _ROUNDED:
            return chances
        self.notes.append(
            f"the names have the probabilities {', '.join(shares)}\nif the probabilities are "
            "others, add a row or column `probability`"
        )
        return [line]

    def note_likely_chances(self) -> None:
        """Note the first line whose numbers can be probabilities."""
        columns = zip(self.states, *(line[1:] for line in self.actions), strict=True)
        for name, *cells in (*self.actions, *columns):
            values = self.values(cells)
            # A game that is won or lost has only 0 and 1.
            if sum(values) in (1, 100) and min(values) >= 0 and not {*values} <= {0, 1, 100}:
                line = quote(name.text)
                self.notes.append(
                    f"the numbers of {line} sum to {sum(values)}\nif they are the probabilities, "
                    f"add --probabilities {line}"
                )
                return

    # ---- Summaries.

    def without_summaries(self, lines: Iterable[Line], first: int, role: str) -> list[Line]:
        """Return lines without those that summarize two or more before them, and note these.

        `first` is the place of the first number, after the name and a probability.
        """
        kept: list[Line] = []
        for line in lines:
            kept.append(line)
            match = _SUMMARY.fullmatch(words(line[0].text))
            # A state has a probability. Their total may stand there, too.
            if match and len(kept) > 2 and sum(self.values(line[1:first])) in (0, 1, 100):
                what, name = f"the {match.lastgroup} of the others", quote(line[0].text)
                note = f"is left out, since it is {what}\nrename it if it is {role}"
                difference = self.difference(match.lastgroup, kept, first)
                if difference is None:
                    kept.pop()
                else:
                    fault = f"is not {what}{difference}"
                    note = f"is read as {role}, since it {fault}\ndelete it if it is none"
                    if not all(cell.text for cell in line[1:first]) and kept[1][1].text:
                        hint = "correct it or delete it; if it is a state, write its probability"
                        self.refuse(line[0], f"{name} {fault}\n{hint}")
                self.notes.append(f"{name} {note}")
        return kept

    def difference(self, name: str | None, lines: list[Line], first: int) -> str | None:
        """Return how the numbers of the last line differ from a summary of those of the others.

        Return None if they do not.
        """
        cells = zip(*(line[first:] for line in lines), strict=True)
        columns = [self.values(column) for column in cells if column[-1].text]
        if not columns:
            return None
        if [] in columns:
            return ""
        vectors: Any
        *vectors, numbers = zip(*columns, strict=True)
        weights = self.values([cell for line in lines[:-1] for cell in line[1:first]])
        if not sum(weights):
            weights = [Fraction(1)] * len(vectors)
        if name == "regret":
            best: Any = max
            if self.options.get("minimize"):
                best = min
            vectors = [[abs(best(vector) - number) for number in vector] for vector in vectors]
        functions: Any = {
            "minimum": min,
            "sum": sum,
            "mean": lambda column: sum(map(mul, column, weights)) / sum(weights),
        }
        summary = map(functions.get(name, max), zip(*vectors, strict=True))
        near = _NEARLY * max(map(abs, numbers))
        for expected, number in zip(summary, numbers, strict=True):
            if abs(expected - number) > near:
                return f", {message_text(expected)}, but {message_text(number)}"
        return None
