"""Answer the page's questions in the browser, as JSON."""

import json

from expectitree.editor import answers


def about() -> str:
    """Return what the page needs once, with the example trees."""
    return json.dumps({**answers.about(), "examples": answers.examples()})


def answer(asked: str) -> str:
    """Return the answer to a question."""
    return json.dumps(answers.answer(json.loads(asked)))
