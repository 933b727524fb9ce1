"""The options and arguments of all commands: each is declared here once, for all that take it.

A key of `TABLE` names the commands that may take its options; `ALL` is for every command. A command
takes those that its arguments name. An option of more commands goes before one of fewer with the
same name. After `**` is the name of an argument that receives all of its options, as a dictionary
of those that the user gave. `MADE` has the arguments that are made of several options.

`generate.py` adds the parameters of families, since their module is slow to import.
"""

from __future__ import annotations

from functools import partial

from click import Argument, Choice, FloatRange, IntRange, Parameter

from expectitree.base.algorithms import NAMES
from expectitree.base.algorithms import OPTIONS as TUNING
from expectitree.base.tree.paths import ROOT
from expectitree.cli.help import COUNT, FILE, FORMATS, GAMES, OUTPUT, SEARCHES, TREES, Option
from expectitree.cli.readable import (
    CHOSEN_BOUNDS,
    NUMBER,
    FormatName,
    complete_parameters,
    complete_paths,
    complete_settings,
    completing,
)
from expectitree.cli.terminal import OUT, choose_report
from expectitree.files.formats import NAMES as FORMAT_NAMES
from expectitree.files.formats import TEXT_FORMATS
from expectitree.picture import CHOICES
from expectitree.searches.engines import ENGINES
from expectitree.searches.prepare import ORDERS

ALL = ""
MADE = {  # an argument, and what makes it of the options that are its own arguments
    "algorithms": "algorithms.ChosenAlgorithms",
    "games": "games.GameOptions",
    "options": "trees.SearchOptions",
    "parameters": "tree_files.read_parameters",
}
_argument = partial(Argument, type=FILE)
_files = partial(_argument, ["files"], nargs=-1)
_algorithm = partial(
    Option,
    "-a --algorithm NAME",
    section=SEARCHES,
    name="names",
    multiple=True,
    rare=False,
    shell_complete=completing(lambda _: NAMES),
)
_report = partial(
    Option,
    help="Write the report to a file, not to standard output.",
    section=OUTPUT,
    name="report_file",
    expose_value=False,
    callback=choose_report,
)
_totals = Option("--totals", "Show what each path pays in all, at its end.")
_windows = Option("--windows", "Show alpha and beta of every node that was entered.", OUTPUT)

TABLE: dict[str, list[Parameter]] = {
    ALL: [
        _files(metavar="[FILE|FOLDER]..."),
        Option(
            "-e TEXT", "A tree as text, in place of a file.", TREES, "texts", False, multiple=True
        ),
        Option("--depth D", "Cut the tree at D plies, and use its estimates there.", TREES),
        Option(
            "--order ORDER",
            "Order of children: given, best, worst, inner (by estimates) or random:SEED.",
            TREES,
            default="given",
            shell_complete=completing(lambda _: [order.removesuffix("SEED") for order in ORDERS]),
        ),
        Option(
            "--exact",
            "Show fractions in place of rounded decimals, and compute in them at any size.",
            TREES,
        ),
        Option(
            "--set NAME=VALUE",
            "Replace the value of a parameter, as in --set pr=0.3; repeat it for several.",
            TREES,
            "changes",
            rare=False,
            named=True,
            multiple=True,
            shell_complete=complete_settings,
        ),
        Option(
            "--parameters FILE",
            "Set parameters by a table in CSV: name, value, low, high, unit, description.",
            TREES,
            "table",
        ),
        Option(
            "--attitude KIND=VALUE",
            "Attitude to risk: exponential=R, logarithmic=W, points=X:U,…, utility=TEXT, or none.",
            TREES,
        ),
        Option("--force", "Replace an existing file.", OUTPUT),
        _report("-o --output OUT"),
    ],
    "**reading": [
        Option(
            "--from",
            "The format of the tree, if neither the file's ending nor its content shows it.",
            FORMATS,
            "format",
            type=FormatName(FORMAT_NAMES),
        ),
        Option(
            "--max-player PLAYER",
            "In .efg: the player who is MAX, by name or number.  [default: 1]",
            FORMATS,
        ),
        Option(
            "--tree N",
            "In a SilverDecisions file with several trees: read the Nth.  [default: 1]",
            FORMATS,
        ),
        Option(
            "--minimize",
            "In Radiant's YAML and in CSV: the numbers are costs, so decisions minimize them.",
            FORMATS,
        ),
        Option(
            "--probabilities NAME",
            "In CSV: the name of the row or column with the probabilities of states.",
            FORMATS,
        ),
        Option("--transpose", "In CSV: rows are states, and columns are actions.", FORMATS),
        Option(
            "--max-nodes N",
            "Let nodes that lead to themselves make at most N nodes.  [default: 200,000]",
            TREES,
        ),
        Option(
            "--normalize",
            "Divide probabilities that are rounded for print by their sum, if that is 0.98 to "
            "1.02, with a warning.",
        ),
    ],
    "**tuning": [
        Option(f"--{key} [{'|'.join(row.values)}]".replace("[]", "K"), row.description, SEARCHES)
        for key, row in TUNING.items()
    ],
    "eval compare trace draw limit risk rescale": [
        _files(metavar="[FILE|FOLDER|GAME]..."),
    ],
    "eval compare trace draw limit risk rescale advise play convert": [
        Option("--start TEXT", "Start from the position that TEXT describes.", GAMES),
        Option("--play MOVES", "Play these moves first, as in roll,6,hold.", GAMES),
        Option("--no-merge", "Do not merge equal states into one node.", GAMES),
        Option("--max-rows N", "Make at most N nodes.  [default: {games.MAX_ROWS:,}]", GAMES),
        Option(
            "--estimate FILE.py:NAME",
            "Estimate states with this function, in place of the game's estimates, or with "
            "`rollouts:N`: the mean of N random games.",
            GAMES,
        ),
    ],
    "eval trace draw": [
        Option(
            "--deepen",
            "Search to depth 1, 2, … up to D, each time with the best moves first.",
            GAMES,
        ),
        Option(
            "--seconds T",
            "Stop after T seconds and report the result so far. Without --depth, deepen.",
            GAMES,
        ),
    ],
    "eval compare trace draw limit": [
        Option(
            "--bounds none|leaves|L,U",
            "Bounds on every total (utility plus rewards): none, those of the leaves, or two "
            "numbers.  [default: those in the file, else none for alphabeta and leaves for the "
            "others]",
            SEARCHES,
            type=CHOSEN_BOUNDS,
        ),
        Option(
            "--engine",
            "How the search runs. auto computes small trees in fractions and compiles for large "
            "ones; the others compute in floats.",
            SEARCHES,
            type=Choice(ENGINES),
            default="auto",
        ),
        Option(
            "--max-visits N",
            "Stop a pruning search after N node visits and report the bounds so far.",
            SEARCHES,
        ),
    ],
    "sensitivity frontier risk simulate": [
        Option("--plot OUT", "Also draw a plot, as .svg, .png or .pdf."),
    ],
    "rescale ask": [_report("--report OUT")],
    "convert generate": [
        Option(
            "--format",
            "The format for standard output, or for a file if several formats have its ending.",
            OUTPUT,
            "format_name",
            type=FormatName(TEXT_FORMATS),
        ),
    ],
    "advise play solve": [_argument(["game"], metavar="GAME")],
    "advise play": [
        _algorithm("The search.  [default: star2]"),
        Option(
            "--depth D",
            "Search at most D plies deep.  [default: as deep as the time allows]",
            TREES,
            rare=False,
        ),
        Option("--seconds T", "Search for at most T seconds."),
    ],
    "eval trace": [_algorithm("The search.  [default: expectiminimax; star2 for games]")],
    "eval": [
        _windows,
        Option(
            "--rows N",
            "Show about this many nodes.",
            OUTPUT,
            default="{analysis.show.MAX_ROWS}",
        ),
        Option("--all", "Show every node.", OUTPUT, "show_all"),
        Option(
            "--explain [PATH]",
            "Explain in sentences the value of the root or of a node, and why each cut was sound.",
            is_flag=False,
            flag_value=ROOT,
            shell_complete=complete_paths,
        ),
        Option(
            "--show [formulas]",
            "Show the formulas next to the numbers, and the parameters.",
            OUTPUT,
            "shown",
            multiple=True,
        ),
        Option("--strategy", "Show only the nodes that optimal play can reach.", rare=True),
        _totals,
        Option(
            "-v --verbose",
            "Describe the search too: algorithm, counts and bounds; the default with -a.",
        ),
        Option(
            "--notes/--no-notes",
            "Show the notes of nodes, but not with --set.",
            OUTPUT,
            default=True,
        ),
    ],
    "compare": [
        _algorithm("A search to compare, once for each.  [default: all that are not slow]"),
        Option(
            "-v --verbose",
            "Show how long each search took, too; the default for games.",
        ),
    ],
    "limit": [
        _algorithm(
            "A search to compare with the limit; may be repeated. By default all that are not slow."
        ),
        Option(
            "--max-leaves N",
            "Refuse trees with more leaves: the time grows with their square.  [default: "
            "{lab.limit.report.MAX_LEAVES:,}]",
        ),
    ],
    "trace": [
        Option(
            "--at PATH",
            "Show only the steps at one node, and the results of its children.",
            shell_complete=complete_paths,
        ),
        Option(
            "--limit N",
            "Show this many steps, 0 for all.  [default: {cli.trace.MAX_STEPS} as text, all else]",
            type=COUNT,
        ),
    ],
    "draw": [
        _files(metavar="[FILE|GAME]"),
        _algorithm(
            "The algorithm.  [default: expectiminimax for a picture, all for a page; star2 for "
            "games]"
        ),
        Option(
            "-o --output OUT",
            "The file; its ending sets the format. - is standard output, with --format.  "
            "[default: FILE with the ending .svg]",
        ),
        Option("--format [svg|dot|mmd|html]", "The format if OUT is -.", OUTPUT, "picture_format"),
    ],
    "**drawing_options": [
        *(
            Option(f"--{name} [{'|'.join(CHOICES[name])}]", about, default=CHOICES[name][0])
            for name, about in (
                ("theme", "The colors."),
                (
                    "direction",
                    "The direction in which the tree grows; auto takes what fits the width.",
                ),
                (
                    "style",
                    "game: triangles for MAX and MIN; decision: squares for decisions; auto: "
                    "decision for a tree without MIN that has rewards, parameters or criteria.",
                ),
            )
        ),
        _totals,
        Option(
            "--width N",
            "Fit the picture into N pixels (points in a .pdf), with legible text.",
            rare=True,
            type=FloatRange(min=1),
        ),
        _windows,
        Option("--reasons", "Show the reason for each cut.", rare=True),
        Option("--strategy", "Draw only what optimal play can reach.", rare=True),
        Option(
            "--rows N",
            "Draw about N nodes; a run of leaves counts as one.",
            OUTPUT,
            default="{picture.content.MAX_NODES}",
        ),
        Option("--all", "Draw every node.", OUTPUT, "show_all"),
        Option("--title/--no-title", "Show the title and the result.", OUTPUT, default=True),
        Option(
            "--blank",
            "Draw an exercise: leave out all that a search found, with lines to write on.",
        ),
        Option(
            "--solution", "Draw the solution of that exercise, with everything in the same place."
        ),
    ],
    "advise": [
        Option(
            "--width W",
            "Accept intervals of this width as values of moves.  [default: 0]",
            rare=True,
            default=0,
        ),
    ],
    "play": [
        Option(
            "--as [max|min|both]", "The player whose moves you choose.", name="side", default="max"
        ),
        Option("--seed N", "The seed of the outcomes.", type=COUNT),
        Option("--typed", "Ask for the outcomes of chance, such as those of real dice."),
        Option(
            "--policy FILE",
            "Play against the policy that `solve --policy FILE` wrote, in place of a search.",
        ),
    ],
    "solve": [
        Option(
            "--width W",
            "Narrow the interval of the value to this width.",
            rare=True,
            default="{games.solve.WIDTH}",
        ),
        Option("--policy OUT", "Write the best move of each position: .csv, .arrow."),
        Option("--exact", "Prove the value as a fraction: up to 20,000 positions.", TREES),
        Option("--endless X", "Count endless play as worth X, as in --endless 0."),
        Option(
            "--discount D",
            "Count what follows each move D times as much, as in 0.95.",
            type=None,
        ),
        Option("--start TEXT", "Start from the position that TEXT describes."),
        Option("--play MOVES", "Play these moves first, as in roll,6,hold."),
        Option("--max-rows N", "Find at most N positions.  [default: {games.MAX_ROWS:,}]"),
        Option("--seconds T", "Stop after T seconds and report the interval so far."),
    ],
    "sensitivity": [
        Option(
            "-p --parameter NAME[=LOW..HIGH]",
            "The parameter to vary, and its range if the file has none; two make a map.",
            name="moved",
            multiple=True,
            named=True,
            shell_complete=complete_parameters,
        ),
        Option("--everywhere", "Every decision that optimal play can reach.", name="is_everywhere"),
        Option("--tornado", "The least and greatest value over each range.", name="is_tornado"),
        Option("--fixed", "Keep the current best strategy in a tornado.", rare=True),
        Option(
            "--until 'A = B'",
            "Where two branches, given by path, are worth the same, or the `value` of the tree is "
            "a number.",
        ),
        Option("--add PATH", "How much more or less a branch may pay."),
        Option("--strategies", "List every strategy and its value."),
        Option(
            "--grid",
            "Rows of a map.",
            rare=True,
            type=IntRange(2, 1000),
            default="{decide.sensitivity.exact.GRID}",
        ),
    ],
    "frontier": [
        Option(
            "-p --parameter NAME[=LOW..HIGH]",
            "The weight, if the objective has several parameters, and its range.  [default: from "
            "0]",
            default="",
            shell_complete=complete_parameters,
        ),
    ],
    "information": [
        Option(
            "--event NAME",
            "An event of the file, or a chance node's path; repeat it to know several at once.  "
            "[default: each event of the file]",
            SEARCHES,
            "names",
            rare=False,
            multiple=True,
        ),
        Option(
            "--likelihood FILE",
            "A test in YAML: signal, then outcome, then the probability of the signal.",
        ),
    ],
    "risk": [
        Option("--target T", "Show the probability of a total at least as good as T.", type=NUMBER),
        Option(
            "--action LABEL",
            "Show the distribution of this action, in place of the best one's.",
        ),
        Option(
            "--hurwicz A",
            "Weight of the best total in the rule of Hurwicz.  [default: 0.5]",
            type=NUMBER,
        ),
        Option(
            "--reach COUNTER",
            "Show how likely play enters each node that repeats, by a counter such as cycle.",
        ),
        Option("-v --verbose", "Show the regret of each action in each state."),
    ],
    "simulate": [
        Option(
            "-p --parameter NAME[=LOW..HIGH]",
            "Show the acceptability curve: the share of draws in which each action is best, over "
            "the range of this parameter.",
            shell_complete=complete_parameters,
        ),
        Option(
            "--known NAMES",
            "Show what knowing several parameters together is worth, as in --known a,b; repeat it "
            "for other ones.",
            name="groups",
            multiple=True,
        ),
        Option(
            "--study NAME=N[,SD]",
            "Show what N observations of a parameter are worth (EVSI). An observation is yes or "
            "no, or a number with the standard deviation SD. Repeat it for other studies.",
            name="studies",
            multiple=True,
        ),
        Option(
            "--draws N",
            "The number of draws.",
            default="{decide.simulation.report.DRAWS}",
        ),
        Option(
            "--seed",
            "The seed of the random numbers; the same seed gives the same draws.",
            type=COUNT,
            default="{decide.simulation.report.SEED}",
        ),
    ],
    "report": [
        _files(metavar="FILE"),
        Option("-o --output OUT", "The page: a .html file.", required=True),
        Option("--parts LIST", "Only these parts, with commas between: {decide.page.PARTS}."),
    ],
    "rescale": [
        Option(
            "--map MAP",
            "A formula of the utility u, such as 'u^2', or pairs U=V,…: other utilities stay.",
        ),
        Option(
            "-o --output OUT",
            "Write the rescaled tree; the suffix decides the format.",
        ),
    ],
    "ask": [
        _argument(["file"], metavar="[FILE]", required=False),
        Option("-e TEXT", "A tree typed in place of a file.", name="text"),
        Option(
            "--goal [action|value]",
            "What to make certain: which action is best, or the value.",
            SEARCHES,
            default="action",
        ),
        Option(
            "--bounds LOWER,UPPER",
            "Bounds on every total (utility plus rewards); inf if unknown.",
            SEARCHES,
        ),
        Option("--exact", "Show fractions in place of rounded decimals.", TREES),
        Option(
            "--answers FILE",
            "The file for the answers.  [default: next to the tree, its name ends in "
            ".answers.yaml]",
            rare=True,
        ),
        Option("--no-save", "Read answers from the file, but add none.", rare=True),
        Option("--show", "Ask nothing: show the tree and the bounds.", name="shows"),
        Option("-o --output OUT", "Write the tree with the answers in it."),
    ],
    "new": [
        Argument(["file"], required=False, type=OUT),
        Option("--example NAME", "Print this example tree instead; --list shows the names."),
        Option("--list", "List the example trees.", name="list_examples"),
    ],
    "edit": [
        _argument(["file"], metavar="FILE"),
        Option(
            "--port N",
            "The port; by default, any that is free.",
            type=IntRange(0, 65535),
            default=0,
            show_default=False,
        ),
        Option("--no-browser", "Print the link, and open no browser."),
    ],
    "convert": [
        _argument(["source"], metavar="IN|GAME"),
        Argument(["out"], metavar="OUT", type=OUT),
        Option(
            "--drop [fractions]",
            "Allow a loss: fractions become the nearest floats in .arrow and .parquet.",
            OUTPUT,
            multiple=True,
        ),
        Option(
            "--fold [rewards]",
            "Move rewards and costs into the utilities: each is then the total of its path.",
        ),
        Option(
            "--flip PATH",
            "Interchange two levels of chance nodes by Bayes' rule. PATH is the upper one, whose "
            "children are chance nodes with the same labels. What was P(a) and P(b given a) "
            "becomes P(b) and P(a given b), as formulas of the same parameters. Rewards of both "
            "levels are paid at the lower one. Values above do not change, and a second flip "
            "undoes the first.",
            name="flipped",
            rare=True,
        ),
        Option(
            "--unshare",
            "Give each path its own nodes, without sharing.",
            name="unshares",
            rare=True,
        ),
        Option("--depth D", "The depth of the tree, in plies.", GAMES),
        Option(
            "--bounds LOWER,UPPER",
            "Bounds on every utility, in place of the game's bounds.",
            GAMES,
        ),
    ],
    "verify": [
        _argument(["paths"], nargs=-1, required=True, metavar="FILE|FOLDER|GAME..."),
        Option("--write", "Write the results into each file's `expect`.", name="write_back"),
        Option("-v --verbose", "In text, print every expectation."),
        Option(
            "--answers FILE",
            "Check a student's answers, lines such as `a2/#1: 4.5`; explain the first wrong one.",
            rare=True,
        ),
        _algorithm("With --answers: the search that the student did.", rare=True),
        Option("-q --quiet", "In text, print only what is broken, and the last line."),
    ],
    "generate": [
        Option(
            "-o --output OUT",
            "The file to write; its ending sets the format.",
            default="-",
            show_default=False,
        ),
    ],
    "sheet": [
        _argument(["source"], metavar="[FILE|FAMILY]", default="uniform"),
        _algorithm("The search to do by hand.  [default: expectiminimax]"),
        Option(
            "-n --variants N",
            "Number of variants.",
            name="number",
            type=IntRange(1, 500),
            default=10,
        ),
        Option(
            "--seed N",
            "Other seeds give other sheets; the same seed gives the same one on every machine.",
            type=IntRange(0, 10**12 - 1),
            default=0,
        ),
        Option(
            "--min-cuts K",
            "Take only trees in which the search makes K cuts or more.  [default: 1 if it prunes]",
            type=COUNT,
        ),
        Option("--windows", "Ask for alpha and beta of each node.", OUTPUT),
        Option(
            "--bounds LOWER,UPPER",
            "Bounds that the search knows.  [default: those of the tree or of --utilities; none "
            "for alphabeta]",
            SEARCHES,
        ),
        Option("--title TEXT", "The title of each page.", OUTPUT),
        Option("--task TEXT", "What to do, in your own words.", rare=True),
        Option(
            "-o --output OUT",
            "The file; its ending sets the format.",
            default="sheet.html",
        ),
        Option("--trees FOLDER", "Also write each tree to a file.", rare=True, type=FILE),
    ],
    "study": [
        _argument(["spec"]),
        Option("--jobs N", "Processes that search.  [default: one per core]", SEARCHES),
        Option(
            "--results FILE",
            "Where results are kept.  [default: SPEC.results.jsonl, next to it]",
            rare=True,
            type=None,
        ),
        Option(
            "--scheduler ADDRESS",
            "Run on the Dask cluster whose scheduler has this address.",
            SEARCHES,
        ),
        Option("--report", "Search nothing: only print the results so far."),
    ],
    "completion": [Argument(["shell"], type=Choice(["bash", "zsh", "fish"]))],
}
