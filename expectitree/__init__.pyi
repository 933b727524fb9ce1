from expectitree.algorithms import ALGORITHMS as ALGORITHMS
from expectitree.algorithms import Algorithm as Algorithm
from expectitree.algorithms import algorithm as algorithm
from expectitree.analysis.ask.report import Inquiry as Inquiry
from expectitree.analysis.ask.report import inquire as inquire
from expectitree.analysis.compare.report import Comparison as Comparison
from expectitree.analysis.compare.report import compare as compare
from expectitree.analysis.information.report import Information as Information
from expectitree.analysis.information.report import information as information
from expectitree.analysis.limit.report import Limit as Limit
from expectitree.analysis.limit.report import limit as limit
from expectitree.analysis.opponents.report import Opponents as Opponents
from expectitree.analysis.opponents.report import opponents as opponents
from expectitree.analysis.rescale.any_map import (
    find_order_preserving_map as find_order_preserving_map,
)
from expectitree.analysis.rescale.report import Rescaling as Rescaling
from expectitree.analysis.rescale.report import rescale as rescale
from expectitree.analysis.risk.report import Risk as Risk
from expectitree.analysis.risk.report import risk as risk
from expectitree.analysis.sensitivity.questions import sensitivity as sensitivity
from expectitree.analysis.sensitivity.questions import sensitivity_map as sensitivity_map
from expectitree.analysis.sensitivity.questions import tornado as tornado
from expectitree.analysis.sensitivity.report import Sensitivity as Sensitivity
from expectitree.analysis.show import explain as explain
from expectitree.analysis.show import to_json as to_json
from expectitree.analysis.show import to_text as to_text
from expectitree.analysis.study.report import Summary as Summary
from expectitree.analysis.study.report import study as study
from expectitree.analysis.trace.report import Trace as Trace
from expectitree.analysis.trace.report import trace as trace
from expectitree.analysis.verify.refresh import refresh as refresh
from expectitree.analysis.verify.report import Verification as Verification
from expectitree.analysis.verify.report import verify as verify
from expectitree.drawing import draw as draw
from expectitree.drawing import to_html as to_html
from expectitree.drawing import to_svg as to_svg
from expectitree.errors import AnalysisError as AnalysisError
from expectitree.errors import ExpectitreeError as ExpectitreeError
from expectitree.errors import FileError as FileError
from expectitree.errors import GameError as GameError
from expectitree.errors import NumberError as NumberError
from expectitree.errors import Problem as Problem
from expectitree.errors import SearchError as SearchError
from expectitree.errors import TransformError as TransformError
from expectitree.errors import TreeError as TreeError
from expectitree.families import generate as generate
from expectitree.files import load as load
from expectitree.files import loads as loads
from expectitree.files.nested import from_dict as from_dict
from expectitree.files.saving import dumps as dumps
from expectitree.files.saving import save as save
from expectitree.searches.engine import evaluate as evaluate
from expectitree.searches.prepare import prepare as prepare
from expectitree.searches.result import Counts as Counts
from expectitree.searches.result import Outcome as Outcome
from expectitree.searches.result import Search as Search
from expectitree.tree.builder import TreeBuilder as TreeBuilder
from expectitree.tree.graphs import from_networkx as from_networkx
from expectitree.tree.model import Branch as Branch
from expectitree.tree.model import Kind as Kind
from expectitree.tree.model import Node as Node
from expectitree.tree.model import Tree as Tree

__version__: str
__all__: list[str]
