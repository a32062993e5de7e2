"""A headless Chromium without a network, over its DevTools pipe: what a page looks like, and what it asks for."""

import base64
import json
import os
import shutil
import subprocess
from pathlib import Path

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
MISSING = "no chromium here: `apt-get install chromium` to look at reports in a browser"
SHUT = ("--proxy-server=127.0.0.1:9", "--proxy-bypass-list=<-loopback>", "--host-resolver-rules=MAP * ~NOTFOUND")
QUIET = ("--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-component-update")


class Browser:
    """One page at a time. `requests`: every address that the last page asked for, its own the first."""

    def __init__(self, folder):
        down, up = os.pipe(), os.pipe()  # what the browser reads, what it writes
        command = [
            CHROMIUM,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--remote-debugging-pipe",
            *SHUT,
            *QUIET,
        ]
        shell = ["bash", "-c", f'exec "$@" 3<&{down[0]} 4>&{up[1]}', "bash", *command, f"--user-data-dir={folder}"]
        with (Path(folder) / "stderr").open("wb") as errors:
            self.process = subprocess.Popen(
                shell, pass_fds=(down[0], up[1]), stdin=subprocess.DEVNULL, stdout=errors, stderr=errors
            )
        os.close(down[0])
        os.close(up[1])
        self.commands, self.answers = os.fdopen(down[1], "wb"), os.fdopen(up[0], "rb")
        self.number, self.session, self.left, self.events, self.requests = 0, None, b"", [], []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.ask(f"{domain}.enable")

    def close(self):
        self.session = None
        self.ask("Browser.close")
        self.process.wait(120)
        self.commands.close()
        self.answers.close()

    def ask(self, method, **parameters):
        """The answer to one DevTools command; events that arrive before it are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.commands.write(json.dumps(message).encode() + b"\0")
        self.commands.flush()
        while True:
            answer = self._next()
            if answer.get("id") == self.number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            self.events.append(answer)

    def _next(self):
        while b"\0" not in self.left:
            read = os.read(self.answers.fileno(), 1 << 16)
            assert read, "the browser has gone"
            self.left += read
        message, _, self.left = self.left.partition(b"\0")
        return json.loads(message)

    def open(self, path, width=1200, height=900, media="screen", scheme="light"):
        """Show a file at a width in CSS pixels, until it is loaded."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.ask("Emulation.setEmulatedMedia", media=media, features=features)
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.ask("Emulation.setDeviceMetricsOverride", **size)
        self.events.clear()
        self.ask("Page.navigate", url=Path(path).resolve().as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._next())
        sent = [event["params"] for event in self.events if event.get("method") == "Network.requestWillBeSent"]
        self.requests = [request["request"]["url"] for request in sent]

    def complaints(self):
        """What the page's console says: errors, among them what the content security policy stopped."""
        logged = [event["params"] for event in self.events if event.get("method") in ("Log.entryAdded",)]
        thrown = [event["params"] for event in self.events if event.get("method") == "Runtime.exceptionThrown"]
        return [entry["entry"]["text"] for entry in logged] + thrown

    def value(self, expression):
        """Of a JavaScript expression: the browser's, not the page's, so the page's policy allows it."""
        found = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def pdf(self):
        """As a printer gets it."""
        self.ask("Emulation.setEmulatedMedia", media="", features=[])
        self.ask("Emulation.clearDeviceMetricsOverride")
        return base64.b64decode(self.ask("Page.printToPDF", printBackground=True)["data"])
