# A page in a real browser: headless Chromium, driven by Selenium.
import base64
import os
import shutil
import subprocess
import tempfile
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys  # noqa: F401  for those who import this file

WIDTH, HEIGHT = 1280, 900


def make_page(command, folder, name="page.html"):
    """Runs `command --report`; returns the page's path and the printed text."""
    file = os.path.join(folder, name)
    said = subprocess.run(command + ["--report", file], capture_output=True, text=True, check=True)
    return file, said.stdout


AXE = "4.14.1"


def axe(bin_dir):
    """The source of axe-core, which npm brings beside the build's programs; None if it is not there and npm brings nothing."""
    folder = os.path.join(bin_dir, "..", "axe")
    file = os.path.join(folder, "node_modules", "axe-core", "axe.min.js")
    if not os.path.exists(file) and shutil.which("npm"):
        subprocess.run(["npm", "install", "--silent", "--no-save", "--prefix", folder, f"axe-core@{AXE}"], check=False)
    if not os.path.exists(file):
        return None
    with open(file) as source:
        return source.read()


class Page:
    def __init__(self, dark=False):
        self.profile = tempfile.mkdtemp(prefix="ndsim-page-")
        options = Options()
        options.binary_location = shutil.which("chromium")
        for argument in [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
            "--no-first-run", "--disable-component-update", "--disable-background-networking", "--force-device-scale-factor=1",
            "--font-render-hinting=none", "--disable-lcd-text", f"--window-size={WIDTH},{HEIGHT}", f"--user-data-dir={self.profile}",
        ]:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        self.driver.set_script_timeout(120)
        self.widen(WIDTH)
        self.prefer("dark" if dark else "light")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()
        shutil.rmtree(self.profile, ignore_errors=True)

    def prefer(self, scheme):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                    {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def widen(self, width):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False})

    def open(self, file):
        self.driver.get("file://" + os.path.abspath(file))
        self.wait("return document.body.dataset.complete === 'true' || document.querySelector('[data-test=failure]') !== null")
        failure = self.all("[data-test=failure]")
        assert not failure, failure[0].text
        self.settle()

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def state(self, expression):
        return self.js(f"return window.ndsim.{expression}")

    def wait(self, script, seconds=20):
        end = time.monotonic() + seconds
        while not self.js(script):
            assert time.monotonic() < end, f"never: {script}"
            time.sleep(0.01)

    def settle(self):
        """Waits for two frames, until requested changes are on screen."""
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))")

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def test(self, name):
        return self.one(f"[data-test='{name}']")

    def press(self, *keys):
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()
        self.settle()

    def focus_timeline(self):
        self.js("document.querySelector('[data-test=timeline-canvas]').focus()")

    def point(self, x, y):
        """The mouse at a point of the timeline's canvas."""
        canvas = self.test("timeline-canvas")
        actions = ActionChains(self.driver, duration=0)
        actions.move_to_element_with_offset(canvas, round(x - canvas.size["width"] / 2), round(y - canvas.size["height"] / 2))
        return actions

    def rows(self, table):
        """Each row of a table, as exact values or, where a cell has none, its text."""
        return self.js("""return [...document.querySelectorAll(`[data-test='${arguments[0]}'] tbody tr`)].map((row) =>
            [...row.children].map((cell) => cell.dataset.exact ?? cell.textContent))""", table)

    def columns(self, table):
        return self.js("""return [...document.querySelectorAll(`[data-test='${arguments[0]}'] thead th`)].map((cell) => cell.textContent)""", table)

    def complaints(self):
        """Script errors and violations of the page's content policy."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def picture(self, height=HEIGHT, scale=1):
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {
            "format": "png", "captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": WIDTH, "height": height, "scale": scale}})
        return base64.b64decode(shot["data"])
