"""Record the replay page as an animated picture, light and dark: python docs/capture.py.

This needs chromium, chromedriver and Pillow. `docs/refresh.py` calls it.
"""

from __future__ import annotations

import io
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
TREE = ROOT / "trees" / "aima-5.12-left.yaml"
WIDTH, HEIGHT = 960, 600
FRAME = 900  # milliseconds
LAST_FRAME = 3500

sys.path[:0] = [str(ROOT), str(ROOT / "tests")]


def frames(theme: str) -> list[Image.Image]:
    """Return a screenshot of the page, as a presentation, after each step of Star1."""
    from page.browser import Browser

    import expectitree as et

    with tempfile.TemporaryDirectory() as folder, Browser(WIDTH, HEIGHT) as browser:
        page = Path(folder) / "page.html"
        page.write_text(et.to_html(et.load(TREE), ["star1"]), "utf-8")
        features = [{"name": "prefers-color-scheme", "value": theme}]
        browser.command("Emulation.setEmulatedMedia", features=features)
        size = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
        browser.command("Emulation.setDeviceMetricsOverride", **size)
        browser.open(page)
        browser.run("location.hash = 'search=star1&step=0&present=1'")
        browser.wait("return document.body.innerText.includes('step 0 of')")
        total = int(browser.run("return document.body.innerText.match(/step 0 of (\\d+)/)[1]"))
        found = []
        picture = Path(folder) / "frame.png"
        for step in range(total + 1):
            if step:
                browser.press("Right")
            time.sleep(0.4)  # the camera moves
            browser.screenshot(picture)
            found.append(Image.open(io.BytesIO(picture.read_bytes())).convert("RGB"))
        return found


def record(theme: str) -> None:
    """Write the animation of one theme."""
    first, *others = frames(theme)
    name = "replay.webp" if theme == "light" else f"replay-{theme}.webp"
    durations = [FRAME] * len(others) + [LAST_FRAME]
    first.save(
        PICTURES / name, save_all=True, append_images=others, duration=durations, loop=0,
        lossless=True, quality=80, method=4,
    )  # fmt: skip


if __name__ == "__main__":
    for theme in ("light", "dark"):
        record(theme)
