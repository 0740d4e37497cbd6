#!/usr/bin/env python3
# bench.py PAGE…: prints each page's size, the time to its first picture, and the time per frame while it is panned.
import os
import sys

from browser import Page

# Pans by a hundredth of the visible range, 60 times; a frame ends when the next one can begin.
PAN = """const done = arguments[1]; const canvas = document.querySelector('[data-test=timeline-canvas]');
for (let i = 0; i < arguments[0]; ++i) canvas.dispatchEvent(new WheelEvent('wheel', { clientX: 600, clientY: 300, deltaY: -300, cancelable: true }));
const times = []; let before = performance.now();
const step = () => { const now = performance.now(); times.push(now - before); before = now;
  if (times.length === 61) { done([times.slice(1), ndsim.frames.slice(-60), ndsim.drawn]); return; }
  canvas.dispatchEvent(new WheelEvent('wheel', { shiftKey: true, deltaY: 8, cancelable: true })); requestAnimationFrame(step); };
requestAnimationFrame(step);"""


def middle(times):
    return sorted(times)[len(times) // 2]


for file in sys.argv[1:]:
    with Page() as page:
        page.driver.set_script_timeout(120)
        first = []
        for _ in range(5):
            page.open(file)
            first.append(page.state("firstPicture"))
        spans = page.state("runs[0].spans")
        print(f"{os.path.basename(file)}: {spans} spans, {os.path.getsize(file) / 1e6:.2f} MB, "
              f"first picture after {middle(first):.0f} ms (of 5 times {min(first):.0f} to {max(first):.0f})")
        for zoom in (0, 8, 20):
            page.press("0")
            frames, painting, drawn = page.driver.execute_async_script(PAN, zoom)
            seen = page.js("return (ndsim.view.to - ndsim.view.from) / ndsim.view.end")
            print(f"  {seen:8.4%} of the run seen: a frame {middle(frames):.1f} ms, at most {max(frames):.1f}; "
                  f"of it our drawing {middle(painting):.1f}, at most {max(painting):.1f}; "
                  f"{drawn['rectangles']} rectangles, {drawn['rasters']} rows of pixels")
