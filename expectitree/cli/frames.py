"""Write the pictures of `draw`: one file, or a folder with a picture of each step."""

from __future__ import annotations

import os
import re

import click

from expectitree import drawing
from expectitree.cli.terminal import say
from expectitree.files.writing import named_errors
from expectitree.picture.frames import Frames
from expectitree.picture.png import library, to_png

_FRAME = re.compile(r"step-\d+\.(svg|png)")


def frame_kind(folder: str, format_name: str | None, force: bool) -> str:
    """Return the format of the frames; raise an error if the folder may not be filled."""
    if format_name not in (None, "svg", "png"):
        raise click.UsageError(f"found --format {format_name}, expected svg or png for --frames.")
    if os.path.exists(folder) and (not os.path.isdir(folder) or os.listdir(folder)) and not force:
        raise click.UsageError(
            f"{folder} is not an empty folder: choose another name, or replace the pictures in it"
            " with --force."
        )
    if format_name == "png":
        library()
    return format_name or "svg"


def write_frames(found: Frames, folder: str, kind: str) -> None:
    """Write a picture of each step; then remove other pictures of an earlier search."""
    with named_errors(folder, "the folder cannot be written"):
        os.makedirs(folder, exist_ok=True)
        left = {name for name in os.listdir(folder) if _FRAME.fullmatch(name)}
    wide = len(str(len(found.frames) - 1))
    for step, text in enumerate(found.pictures()):
        name = f"step-{step:0{wide}}.{kind}"
        drawing.write(to_png(text) if kind == "png" else [text], os.path.join(folder, name))
        left.discard(name)
    with named_errors(folder, "pictures of an earlier search cannot be removed"):
        for name in left:
            os.unlink(os.path.join(folder, name))
    say(f"{folder} written: {len(found.frames):,} pictures, one a step")
