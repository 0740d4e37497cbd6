#!/usr/bin/env python3
# pictures.py BIN_DIR [--update]: compares twelve states of the page with their pictures, at half size, but for a few pixels.
import base64
import os
import subprocess
import sys
import tempfile

from browser import Page, make_page

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pictures")
# Fonts differ between machines; a missing row, colour or line changes more pixels, and by a larger amount.
FAR_APART = 60  # of 255, in one of three colours
MOST_PIXELS = 0.02

COMPARE = """const [one, two, far, done] = arguments;
const pixels = async (text) => {
  const image = new Image(); image.src = 'data:image/png;base64,' + text; await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height); const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0); return context.getImageData(0, 0, image.width, image.height);
};
Promise.all([pixels(one), pixels(two)]).then(([a, b]) => {
  if (a.width !== b.width || a.height !== b.height) return done(1);
  let others = 0;
  for (let i = 0; i < a.data.length; i += 4)
    if ([0, 1, 2].some((c) => Math.abs(a.data[i + c] - b.data[i + c]) > far)) ++others;
  done(others / (a.data.length / 4));
}, (error) => done(String(error)));"""


def scrub(page, share):
    page.js("""const scrub = document.querySelector('[data-test=scrub]'); scrub.value = String(10000 * arguments[0]);
               scrub.dispatchEvent(new Event('input'));""", share)


def search(page, text):
    page.js("""const field = document.querySelector('[data-test=search]'); field.value = arguments[0];
               field.dispatchEvent(new Event('input'));""", text)


def choose(page):
    page.focus_timeline()
    page.press("n", "n")
    page.js("document.activeElement.blur()")


def zoom(page):
    page.focus_timeline()
    page.press("+", "+", "+", "d")
    page.js("document.activeElement.blur()")


def third_step(page):
    """The collective alone, after three of its steps."""
    for _ in range(3):
        page.test("chunk-on-0").click()
    page.js("for (const part of document.querySelectorAll('main > :not(#chunks-0)')) part.remove()")


# Name of the picture, page, action before it, and colour scheme.
STATES = [
    ("whole", "pipeline", None, "light"),
    ("dark", "pipeline", None, "dark"),
    ("zoomed", "pipeline", zoom, "light"),
    ("found", "pipeline", lambda page: search(page, "gradient"), "light"),
    ("chosen", "pipeline", choose, "light"),
    ("replayed", "pipeline", lambda page: scrub(page, 0.33), "light"),
    ("compared", "compared", None, "dark"),
    ("help", "pipeline", lambda page: page.press("?"), "light"),
    ("hostile", "hostile", None, "light"),
    ("step", "step", None, "light"),
    ("grouped", "hybrid", None, "light"),
    ("chunks", "ring", third_step, "dark"),
]


def main():
    bin_dir, update = os.path.abspath(sys.argv[1]), "--update" in sys.argv[2:]
    failed = 0
    with tempfile.TemporaryDirectory() as folder, Page() as page:
        make_page([f"{bin_dir}/3d_pipeline_parallel", "--host", "fiber", "--quiet"], folder, "pipeline.html")
        make_page([f"{bin_dir}/4d_hybrid", "--ep", "1", "--layers", "2", "--micro-batches", "2", "--activation-units", "1", "--gradient-units", "50",
                   "--host", "fiber", "--quiet"], folder, "hybrid.html")
        make_page([f"{bin_dir}/1d_data_parallel", "--ranks", "4", "--host", "fiber", "--quiet"], folder, "ring.html")
        make_page([f"{bin_dir}/ndsim", "train", "--model", "llama3-8b", "--gpus", "64", "--tp", "2", "--pp", "4"], folder, "step.html")
        for file, options in [("one.json", []), ("zb_h1.json", ["--schedule", "zb_h1"])]:
            with open(os.path.join(folder, file), "w") as out:
                subprocess.run([f"{bin_dir}/3d_pipeline_parallel", "--host", "fiber", "--quiet", "--json", *options], stdout=out, check=True)
        os.chdir(folder)  # the page shows the file names of the results
        make_page([f"{bin_dir}/ndsim", "compare", "one.json", "zb_h1.json"], folder, "compared.html")
        assert os.spawnl(os.P_WAIT, f"{bin_dir}/ndsim_write_pages", "ndsim_write_pages", folder) == 0
        shots = {}
        for name, file, act, scheme in STATES:
            page.prefer(scheme)
            page.open(os.path.join(folder, f"{file}.html"))
            # Process ids differ from run to run.
            page.js("""for (const cell of document.querySelectorAll('[data-test=totals-0] tr > :last-child')) cell.style.visibility = 'hidden';
                       document.querySelector('#timeline').style.caretColor = 'transparent';""")
            if act:
                act(page)
            page.settle()
            shots[name] = page.picture(height=620, scale=0.5)
        page.driver.get("about:blank")
        for name, shot in shots.items():
            golden = os.path.join(HERE, f"{name}.png")
            if update:
                os.makedirs(HERE, exist_ok=True)
                with open(golden, "wb") as out:
                    out.write(shot)
                continue
            with open(golden, "rb") as kept:
                share = page.driver.execute_async_script(
                    COMPARE, base64.b64encode(kept.read()).decode(), base64.b64encode(shot).decode(), FAR_APART)
            good = isinstance(share, (int, float)) and share <= MOST_PIXELS
            failed += not good
            print(f"{'ok     ' if good else 'FAILED '} {name}: {share:.2%} of the pixels are others" if good or not isinstance(share, str) else share)
            if not good:
                seen = os.path.join(tempfile.gettempdir(), f"ndsim_page_{name}.png")
                with open(seen, "wb") as out:
                    out.write(shot)
                print(f"        what is seen now: {seen}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
