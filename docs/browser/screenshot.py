"""Draws saved queries in Neo4j Browser with the style, in headless Chromium, and saves pictures of the page.

    python docs/browser/screenshot.py http://127.0.0.1:7474 docs/browser/07-two-hops.cypher=docs/browser.png

The server must ask for no password, as that of `make neo4j`. The page gets nothing that is not on 127.0.0.1; what it
asks for elsewhere is refused, and named at the end.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from websockets.sync.client import ClientConnection, connect

STYLE = Path(__file__).with_name("kgmem.grass")
WIDTH, HEIGHT = 1200, 700
SECONDS = 60
FLAGS = (
    "--headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --remote-debugging-port=0"
)
# Kept by the page as its settings: nothing is played at the start, nothing reported.
SETTINGS = {"initCmd": "", "playImplicitInitCommands": False, "allowCrashReports": False, "allowUserStats": False}
DROP = """
    const files = new DataTransfer();
    files.items.add(new File([%s], 'kgmem.grass'));
    document.querySelector('.filedrop').dispatchEvent(new DragEvent('drop', {dataTransfer: files, bubbles: true}));
"""
PLACES = "[...document.querySelectorAll('svg g.node')].map(node => node.getAttribute('transform')).join()"
FRAMES = "document.querySelectorAll('article').length"
RUN = "document.querySelector('[data-testid=\"editor-Run\"]')"


class Page:
    """A page of Chromium, spoken to over the DevTools protocol."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.refused: set[str] = set()
        self._sent = 0

    def _send(self, method: str, **values: Any) -> int:
        self._sent += 1
        self.socket.send(json.dumps({"id": self._sent, "method": method, "params": values}))
        return self._sent

    def _receive(self, seconds: float = SECONDS) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self.socket.recv(timeout=seconds))
        if message.get("method") == "Fetch.requestPaused":
            request, url = message["params"]["requestId"], urlsplit(message["params"]["request"]["url"])
            if url.hostname in ("127.0.0.1", None):
                self._send("Fetch.continueRequest", requestId=request)
            else:
                self.refused.add(url.hostname)
                self._send("Fetch.failRequest", requestId=request, errorReason="BlockedByClient")
        return message

    def call(self, method: str, **values: Any) -> dict[str, Any]:
        sent = self._send(method, **values)
        while (message := self._receive()).get("id") != sent:
            pass
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']}")
        result: dict[str, Any] = message["result"]
        return result

    def pass_time(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            try:
                self._receive(left)
            except TimeoutError:
                return

    def value(self, script: str) -> Any:
        return self.call("Runtime.evaluate", expression=script, returnByValue=True)["result"].get("value")

    def wait(self, condition: str) -> None:
        until = time.monotonic() + SECONDS
        while not self.value(f"Boolean({condition})"):
            if time.monotonic() > until:
                shown = self.value("document.body.innerText")
                raise RuntimeError(f"not within {SECONDS} s: {condition}; the page shows:\n{shown}")
            self.pass_time(0.2)

    def run(self, text: str) -> None:
        """Type into Browser's editor and press its button."""
        self.wait(f"{RUN} && document.querySelector('.monaco-editor textarea')")
        self.value("document.querySelector('.monaco-editor textarea').focus()")
        self.call("Input.insertText", text=text)
        self.wait(f"!{RUN}.disabled")
        self.value(f"{RUN}.click()")

    def clear(self) -> None:
        self.run(":clear")
        self.wait(f"{FRAMES} === 0")


def prepare(page: Page, server: str) -> None:
    """Open Browser, connected and with the style."""
    page.call("Page.enable")
    page.call("Runtime.enable")
    page.call("Fetch.enable", patterns=[{"urlPattern": "*"}])
    page.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)
    keep = f"if (location.host) localStorage['neo4j.settings'] = {json.dumps(json.dumps(SETTINGS))}"
    page.call("Page.addScriptToEvaluateOnNewDocument", source=keep)
    page.call("Page.navigate", url=f"{server}/browser/?preselectAuthMethod=NO_AUTH")
    page.wait("document.body.innerText.includes('You have a working connection')")
    page.value(DROP % json.dumps(STYLE.read_text(encoding="utf-8")))
    page.wait("(localStorage['neo4j.grass'] || '').includes('node.Chunk')")
    page.clear()


def draw(page: Page, query: Path, picture: Path) -> None:
    page.run(query.read_text(encoding="utf-8"))
    page.wait(f"{FRAMES} === 1")
    page.wait(f"{PLACES} || document.querySelector('article table')")
    page.value("document.querySelector('[title=Fullscreen]').click()")
    settle(page)
    page.value("document.querySelector('[aria-label=zoom-to-fit]')?.click()")
    settle(page)
    shot = page.call("Page.captureScreenshot", format="png")["data"]
    picture.write_bytes(base64.b64decode(shot))
    page.value("document.querySelector('[title=\"Close fullscreen\"]').click()")
    page.clear()


def settle(page: Page) -> None:
    """Wait until the nodes stand still."""
    before = None
    while before != (now := page.value(PLACES)):
        before = now
        page.pass_time(1)


def main(server: str, *jobs: str) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = ["chromium", *FLAGS.split(), f"--user-data-dir={profile}", "about:blank"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as chromium:
            try:
                said = Path(profile) / "DevToolsActivePort"
                while not (said.exists() and said.read_text()):
                    if chromium.poll() is not None:
                        sys.exit("Chromium did not start.")
                    time.sleep(0.1)
                with urllib.request.urlopen(f"http://127.0.0.1:{said.read_text().split()[0]}/json") as answer:
                    target = next(one for one in json.load(answer) if one["type"] == "page")
                with connect(target["webSocketDebuggerUrl"], max_size=None) as socket:
                    page = Page(socket)
                    prepare(page, server)
                    for job in jobs:
                        query, _, picture = job.partition("=")
                        draw(page, Path(query), Path(picture))
                    print("refused:", ", ".join(sorted(page.refused)) or "nothing")
            finally:
                chromium.terminate()


if __name__ == "__main__":
    main(*sys.argv[1:])
