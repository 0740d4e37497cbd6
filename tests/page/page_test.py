#!/usr/bin/env python3
# page_test.py BIN_DIR [NAME…]: tests the report page in a browser. Each function test_… tests one idea; they share one browser.
import json
import os
import subprocess
import sys
import tempfile
import traceback

from browser import WIDTH, ActionChains, Keys, Page, axe, make_page

PICOSECONDS = 10**12
NARROW = 420  # pixels, as on a telephone
HERE = os.path.dirname(os.path.abspath(__file__))

# Makes the page of a torchrun.json answer, as from `python3 -m ndsim.torchrun --nproc 16 --fold 2 --against train --json`.
ANSWERED = """
import json, sys
import ndsim
from ndsim.torchrun.answer.verdict import verdict_of
answer = json.load(open(sys.argv[1]))
run = ndsim.launch(2, lambda gpu: gpu.compute("work", units=1), timeline=True)
run.describe(answer=json.dumps(answer), verdict=json.dumps(verdict_of(answer, "hf.py on 16 x <b>H100</b>")), steps=[])
run.report(sys.argv[2])
"""


def picoseconds(seconds):
    return round(seconds * PICOSECONDS)


def digits(exact):
    """The picoseconds of '1.250 000 000 000 s'."""
    return int("".join(c for c in exact if c.isdigit()))


class Files:
    """Pages of a pipeline of four ranks and other runs, with the same runs' --json output."""

    def __init__(self, bin_dir, folder):
        self.bin_dir = bin_dir
        self.folder = folder
        self.pipeline, said = make_page([f"{bin_dir}/3d_pipeline_parallel", "--host", "fiber", "--quiet", "--json"], folder, "pipeline.html")
        self.json = json.loads(said)
        self.step, said = make_page([f"{bin_dir}/ndsim", "train", "--model", "llama3-8b", "--gpus", "64", "--tp", "2", "--pp", "4", "--json"], folder, "step.html")
        self.step_json = json.loads(said)
        self.failed = os.path.join(folder, "failed.html")
        said = subprocess.run([f"{bin_dir}/distributed_hello", "--mismatch", "--host", "fiber", "--quiet", "--report", self.failed], capture_output=True, text=True)
        assert said.returncode != 0
        self.said = said.stderr
        profile = os.path.join(folder, "dgx.toml")
        with open(profile, "w") as out:
            out.write('kind = "cluster"\n[compute]\nseconds_per_unit = 0.0003\n[network]\nbytes_per_unit = 1e6\n[topology]\nname = "dgx-h100"\n')
        with open(os.path.join(HERE, "torchrun.json")) as file:
            self.answer = json.load(file)
        self.answered = os.path.join(folder, "answered.html")
        environment = {**os.environ, "PYTHONPATH": os.path.join(bin_dir, "..", "python")}
        subprocess.run([sys.executable, "-B", "-c", ANSWERED, file.name, self.answered], env=environment, check=True)
        self.hybrid, _ = make_page([f"{bin_dir}/4d_hybrid", "--dp", "2", "--tp", "2", "--pp", "2", "--ep", "1", "--host", "fiber", "--quiet"], folder, "hybrid.html")
        self.ring, _ = make_page([f"{bin_dir}/1d_data_parallel", "--ranks", "4", "--host", "fiber", "--quiet"], folder, "ring.html")
        self.links, _ = make_page([f"{bin_dir}/1d_data_parallel", "--ranks", "16", "--items", "16", "--host", "fiber", "--profile", profile, "--quiet"], folder, "links.html")


def test_a_page_from_disk_shows_its_run(page, files):
    page.open(files.pipeline)
    assert page.state("ready")
    assert page.driver.title.startswith("3d_pipeline_parallel")
    assert page.test("end").get_attribute("data-exact") == str(picoseconds(files.json["simulated_seconds"]))
    assert page.complaints() == []


def test_the_numbers_of_the_ranks_are_those_of_json(page, files):
    page.open(files.pipeline)
    names = page.columns("totals-0")
    rows = page.rows("totals-0")
    assert len(rows) == len(files.json["per_rank"]) == 4
    for row, rank in zip(rows, files.json["per_rank"]):
        shown = dict(zip(names, row))
        for title, key in [("compute", "compute_seconds"), ("communication", "communication_seconds"), ("waiting", "idle_seconds")]:
            assert digits(shown[title]) == picoseconds(rank[key]), (title, shown, rank)
        assert int(shown["messages"]) == rank["messages_sent"]
        assert int(shown["units sent"]) == round(rank["units_sent"] * 1e9)
        assert int(shown["peak units"]) == round(rank["peak_memory_units"] * 1e9)


def test_the_matrix_holds_all_that_is_sent(page, files):
    page.open(files.pipeline)
    rows = page.rows("pairs-0")
    assert sum(int(row[3]) for row in rows) == sum(round(rank["units_sent"] * 1e9) for rank in files.json["per_rank"])
    assert sum(int(row[2]) for row in rows) == files.json["messages"]


def test_the_critical_path_is_as_long_as_the_run(page, files):
    page.open(files.pipeline)
    assert sum(digits(row[3]) for row in page.rows("path-sums-0")) <= picoseconds(files.json["simulated_seconds"])
    ends = page.js("return ndsim.runs[0].end")
    page.one("[data-test=path-sums-0-more]").click()
    assert sum(digits(row[3]) for row in page.rows("path-sums-0")) == int(ends)


def test_no_request_leaves_the_page(page, files):
    page.open(files.pipeline)
    page.driver.get_log("performance")
    page.open(files.pipeline)
    page.press("?", Keys.ESCAPE)
    sent = [json.loads(entry["message"])["message"] for entry in page.driver.get_log("performance")]
    urls = {m["params"]["request"]["url"] for m in sent if m["method"] == "Network.requestWillBeSent"}
    assert urls == {"file://" + files.pipeline}, urls
    assert page.js("return performance.getEntriesByType('resource').length") == 0


def test_the_policy_forbids_every_other_script_and_request(page, files):
    page.open(files.pipeline)
    page.js("""const script = document.createElement('script'); script.textContent = 'window.harm = 1'; document.body.append(script);
               const image = document.createElement('img'); image.src = 'https://example.org/x.png'; document.body.append(image);""")
    page.settle()
    assert page.js("return window.harm") is None
    refused = page.driver.execute_async_script(
        "const done = arguments[0]; fetch('https://example.org/').then(() => done(false), () => done(true))")
    assert refused
    assert any("Content Security Policy" in complaint for complaint in page.complaints())


def test_the_wheel_zooms_around_the_mouse(page, files):
    page.open(files.pipeline)
    before = page.state("view")
    page.js("""const canvas = document.querySelector('[data-test=timeline-canvas]');
               const { left, top } = canvas.getBoundingClientRect();
               canvas.dispatchEvent(new WheelEvent('wheel', { clientX: left + 400, clientY: top + 60, deltaY: -400, cancelable: true, bubbles: true }));""")
    page.settle()
    after = page.state("view")
    share = lambda view, at: (at - view["from"]) / (view["to"] - view["from"])
    at = before["from"] + (400 - 132) / (page.test("timeline-canvas").size["width"] - 132) * (before["to"] - before["from"])
    assert after["to"] - after["from"] < 0.6 * (before["to"] - before["from"])
    assert abs(share(after, at) - share(before, at)) < 0.01


def test_keys_zoom_and_move(page, files):
    page.open(files.pipeline)
    page.focus_timeline()
    whole = page.state("view")
    page.press("+", "+")
    near = page.state("view")
    assert near["to"] - near["from"] < 0.5 * (whole["to"] - whole["from"])
    page.press(Keys.ARROW_RIGHT)
    right = page.state("view")
    assert right["from"] > near["from"]
    assert abs((right["to"] - right["from"]) - (near["to"] - near["from"])) <= 1e-6 * (near["to"] - near["from"])
    page.press("a")
    assert abs(page.state("view")["from"] - near["from"]) < 2
    page.press("0")
    assert page.state("view") == whole


def test_dragging_moves_in_time(page, files):
    page.open(files.pipeline)
    page.focus_timeline()
    page.press("+", "+")
    before = page.state("view")
    page.point(700, 60).click_and_hold().move_by_offset(-200, 0).release().perform()
    page.settle()
    after = page.state("view")
    width = page.test("timeline-canvas").size["width"] - 132
    assert abs((after["from"] - before["from"]) / (before["to"] - before["from"]) - 200 / width) < 0.01


def test_pointing_at_a_span_tells_what_it_is(page, files):
    page.open(files.pipeline)
    place = page.state("place(0)")
    page.point(place["x"], place["y"]).perform()
    page.settle()
    tip = page.test("tip").text
    assert "forward of micro-batch 0, layer 0" in tip and "Rank 0" in tip, tip
    page.point(place["x"], place["y"]).click().perform()
    page.settle()
    assert page.state("selected") >= 0
    assert "forward of micro-batch 0, layer 0" in page.test("chosen").text


def test_keys_choose_spans_and_follow_messages(page, files):
    page.open(files.pipeline)
    page.focus_timeline()
    page.press("n")
    first = page.state("selected")
    page.press("n")
    assert page.state("selected") > first
    page.test("search").send_keys("activation", Keys.ENTER)
    page.settle()
    page.focus_timeline()
    sender = page.state("selected")
    page.press("f")
    receiver = page.state("selected")
    assert receiver != sender
    page.press("f")
    assert page.state("selected") == sender


def test_search_finds_labels_and_goes_to_them(page, files):
    page.open(files.pipeline)
    page.press("/")
    page.test("search").send_keys("micro-batch 3, LAYER 2")
    page.settle()
    assert page.state("found") == 2
    page.test("search").send_keys(Keys.ENTER)
    page.settle()
    assert "of micro-batch 3, layer 2" in page.test("chosen").text
    assert page.test("found").text == "1 of 2"
    page.test("search").send_keys(Keys.ESCAPE)
    assert page.state("found") == 0


def test_the_replay_plays_pauses_and_is_scrubbed(page, files):
    page.open(files.pipeline)
    assert page.state("cursor") == -1
    page.press(" ")
    assert page.state("playing")
    page.wait("return ndsim.cursor > 0")
    page.press(" ")
    assert not page.state("playing")
    stopped = page.state("cursor")
    page.settle()
    assert page.state("cursor") == stopped
    page.js("""const scrub = document.querySelector('[data-test=scrub]'); scrub.value = '5000'; scrub.dispatchEvent(new Event('input'));""")
    assert page.state("cursor") == page.state("view.end") / 2
    page.focus_timeline()
    page.press(Keys.ESCAPE)
    assert page.state("cursor") == -1


def test_a_message_is_under_way_between_its_ends(page, files):
    page.open(files.pipeline)
    page.js("""const scrub = document.querySelector('[data-test=scrub]'); scrub.value = '100'; scrub.dispatchEvent(new Event('input'));""")
    assert page.state("underWay") == []
    page.js("""const scrub = document.querySelector('[data-test=scrub]'); scrub.value = '300'; scrub.dispatchEvent(new Event('input'));""")
    travelling = page.state("underWay")
    assert [(message["from"], message["to"]) for message in travelling] == [(0, 1)], travelling


def test_dark_and_light_follow_the_system_until_someone_chooses(page, files):
    page.open(files.pipeline)
    background = "return getComputedStyle(document.body).backgroundColor"
    assert not page.state("dark") and page.js(background) == "rgb(255, 255, 255)"
    page.prefer("dark")
    page.settle()
    assert page.state("dark") and page.js(background) == "rgb(21, 24, 29)"
    page.prefer("light")
    page.press("t")
    assert page.state("dark") and page.js(background) == "rgb(21, 24, 29)"
    page.press("t")
    assert not page.state("dark")
    page.js("localStorage.clear()")


def test_a_dark_page_is_printed_light(page, files):
    page.prefer("dark")
    page.open(files.pipeline)
    page.js("addEventListener('beforeprint', () => { window.printed = [ndsim.dark, getComputedStyle(document.body).backgroundColor]; })")
    page.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    assert page.js("return window.printed") == [False, "rgb(255, 255, 255)"]
    assert page.state("dark")


def test_help_opens_and_closes(page, files):
    page.open(files.pipeline)
    page.press("?")
    assert page.test("help").is_displayed() and "play or pause the replay" in page.test("help").text
    page.press(Keys.ESCAPE)
    assert not page.test("help").is_displayed()


def test_tables_are_sorted_by_their_titles(page, files):
    page.open(files.pipeline)
    column = page.columns("totals-0").index("waiting")
    button = page.test(f"totals-0-sort-{column}")
    button.click()
    falling = [digits(row[column]) for row in page.rows("totals-0")]
    assert falling == sorted(falling, reverse=True)
    button.click()
    assert [digits(row[column]) for row in page.rows("totals-0")] == sorted(falling)
    assert page.js("return document.querySelectorAll('[data-test=totals-0] th[aria-sort=ascending]').length") == 1


# The words of up to 24 letters, in elements that a selector finds, that are on several lines.
BROKEN = """const broken = [];
for (const one of document.querySelectorAll(arguments[0])) {
    const texts = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode())
        for (const { 0: word, index } of text.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
            const range = document.createRange();
            range.setStart(text, index);
            range.setEnd(text, index + word.length);
            if (word.length <= 24 && range.getClientRects().length > 1) broken.push(word);
        }
}
return broken;"""


def test_no_word_of_a_title_or_table_is_broken_on_a_narrow_screen(page, files):
    page.widen(NARROW)
    for file in (files.pipeline, files.step):
        page.open(file)
        assert page.js(BROKEN, "h1, h2, h3, th, td, caption") == []
        assert page.js("return document.documentElement.scrollWidth <= innerWidth")


def test_a_row_of_short_texts_is_one_line_high(page, files):
    for width in (NARROW, WIDTH):
        page.widen(width)
        page.open(files.pipeline)
        heights = page.js("return [...document.querySelectorAll('[data-test=totals-0] tbody tr, [data-test=pairs-0] tbody tr')].map((row) => row.offsetHeight)")
        assert heights and max(heights) <= 32, heights


def test_a_swatch_stands_beside_its_label(page, files):
    page.widen(NARROW)
    page.open(files.links)
    torn = page.js("""return [...document.querySelectorAll('.swatch')].filter((swatch) => {
        const label = document.createRange();
        label.setStartAfter(swatch);
        label.setEndAfter(swatch.parentNode.lastChild);
        const [box, mark] = [label.getBoundingClientRect(), swatch.getBoundingClientRect()];
        return box.width === 0 || mark.bottom < box.top || mark.top > box.bottom || box.left < mark.right;
    }).length""")
    assert torn == 0


def span_of(page, label):
    """The first span with the label, in the first run."""
    return page.js("return ndsim.spanOf(ndsim.runs[0].labels.indexOf(arguments[0]))", label)


def colour_at(page, span):
    """The colour of a span's box, near its upper left corner, where no text is."""
    return page.js("""const { left, top } = ndsim.box(arguments[0]);
        const canvas = document.querySelector('[data-test=timeline-canvas]');
        const ratio = canvas.width / canvas.clientWidth;
        return [...canvas.getContext('2d').getImageData((left + 2) * ratio, (top + 2) * ratio, 1, 1).data].slice(0, 3);""", span)


def variable(page, name):
    return page.js("""const hex = getComputedStyle(document.documentElement).getPropertyValue(`--${arguments[0]}`).trim().slice(1);
                      return [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));""", name)


def test_a_micro_batch_has_one_colour_and_a_darker_one_on_the_way_back(page, files):
    for scheme in ("light", "dark"):
        page.prefer(scheme)
        page.open(files.pipeline)
        page.test("show-path").click()
        page.test("show-messages").click()
        page.settle()
        seen = {}
        for way in ("forward", "backward"):
            for micro_batch in range(4):
                seen[way, micro_batch] = colour_at(page, span_of(page, f"{way} of micro-batch {micro_batch}, layer 0"))
                assert seen[way, micro_batch] == variable(page, f"{way[0]}{micro_batch}"), (way, micro_batch)
        assert all(sum(seen["backward", i]) < sum(seen["forward", i]) for i in range(4))
        assert len({tuple(colour) for colour in seen.values()}) == 8


def test_every_box_with_room_has_its_letter_and_number(page, files):
    page.open(files.pipeline)
    passes = page.js("return ndsim.runs[0].sums.filter((sum) => sum.label.includes('micro-batch')).reduce((all, sum) => all + Number(sum.count), 0)")
    page.js("document.querySelector('[data-test=zoom-in]').click()")
    page.settle()
    near = page.state("drawn.shortLabels")
    page.test("zoom-all").click()
    page.settle()
    assert page.state("drawn.shortLabels") == passes, (near, passes)


def test_fill_bubble_and_drain_are_marked_where_the_ranks_wait(page, files):
    page.open(files.pipeline)
    waits = page.state("waits")
    named = {(wait["rank"], wait["name"]) for wait in waits}
    assert {(rank, "fill") for rank in (1, 2, 3)} <= named and (0, "fill") not in named, named
    assert {(rank, "drain") for rank in (1, 2, 3)} <= named and (0, "drain") not in named, named
    assert page.state("drawn.waits") >= 6
    for rank, of_rank in enumerate(files.json["per_rank"]):
        waiting = sum(wait["end"] - wait["begin"] for wait in waits if wait["rank"] == rank)
        assert waiting <= picoseconds(of_rank["idle_seconds"]), rank


def test_one_sentence_above_the_picture_says_where_the_time_went(page, files):
    page.open(files.pipeline)
    mean = {key: sum(rank[f"{key}_seconds"] for rank in files.json["per_rank"]) / 4 / files.json["simulated_seconds"] for key in ("compute", "idle")}
    said = page.test("sentence").text
    assert said.startswith(f"The GPUs compute {100 * mean['compute']:.1f} % of the time"), said
    assert f"wait for each other {100 * mean['idle']:.1f} %: the pipeline's fill takes" in said, said
    assert page.js("""return document.querySelector('[data-test=sentence]').getBoundingClientRect().bottom <=
                      document.querySelector('[data-test=timeline-canvas]').getBoundingClientRect().top""")


def test_ranks_are_grouped_by_an_axis_and_have_their_coordinates(page, files):
    page.open(files.hybrid)
    headings = lambda: [(row["rank"], row["headings"]) for row in page.state("rows") if row["headings"]]
    assert headings() == [(0, ["pp 0"]), (4, ["pp 1"])], headings()
    page.js("""const group = document.querySelector('[data-test=group]'); group.value = 'dp'; group.dispatchEvent(new Event('change'));""")
    page.settle()
    assert [row["rank"] for row in page.state("rows")] == [0, 1, 4, 5, 2, 3, 6, 7]
    assert headings() == [(0, ["dp 0"]), (2, ["dp 1"])], headings()
    place = page.state("place(0)")
    page.point(place["x"], place["y"]).perform()
    page.settle()
    assert "pp 0, dp 0, tp 0" in page.test("tip").text


def test_memory_lies_under_the_timeline_on_its_axis(page, files):
    page.open(files.pipeline)
    peaks = [rank["peak_memory_units"] for rank in files.json["per_rank"]]
    now = page.test("memory-now")
    assert now.text == "At most: " + ", ".join(f"Rank {i} {peak:g} units" for i, peak in enumerate(peaks)) + "."
    canvas, timeline = page.one("canvas.memory"), page.test("timeline-canvas")
    assert canvas.rect["y"] >= timeline.rect["y"] + timeline.rect["height"]
    assert abs(canvas.size["width"] - timeline.size["width"]) <= 2
    # The first micro-batch's activations are the first change on rank 0: seen at the time that the pointer is at.
    place = page.state("place(0)")
    ActionChains(page.driver, duration=0).move_to_element_with_offset(canvas, round(place["x"] - canvas.size["width"] / 2) + 14, 0).perform()
    page.settle()
    assert now.text.startswith("At ") and "Rank 0" in now.text and now.text != "At most", now.text
    before = page.js("return document.querySelector('canvas.memory').toDataURL()")
    page.focus_timeline()
    page.press("+")
    assert page.js("return document.querySelector('canvas.memory').toDataURL()") != before


def test_a_collective_is_told_chunk_by_chunk(page, files):
    page.open(files.ring)
    cells = lambda: page.js("return [...document.querySelectorAll('[data-test=chunk-table-0] tbody tr')].map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent))")
    assert cells() == [[str(member)] * 4 for member in range(4)]
    page.test("chunk-on-0").click()
    assert sorted(sum(cells(), [])).count("0") == 3, cells()
    assert page.test("chunk-said-0").text.startswith("Step 1 of 6: member 3 sends chunk "), page.test("chunk-said-0").text
    for _ in range(2):
        page.press(Keys.ARROW_RIGHT)  # the button has the focus
    # The sums are done after 3 of 6 steps: one on each member.
    assert [row.count("sum of all") for row in cells()] == [1, 1, 1, 1], cells()
    page.press(Keys.ARROW_LEFT)
    assert [row.count("sum of all") for row in cells()] == [0, 0, 0, 0]
    page.test("chunk-play-0").click()
    page.wait("return document.querySelector('[data-test=chunk-step-0]').value === '6'", seconds=60)
    assert [row.count("sum of all") for row in cells()] == [4, 4, 4, 4]
    assert page.test("chunk-play-0").text.endswith("Play")


def test_an_exchange_names_the_chunks_of_their_senders(page, files):
    file, _ = make_page([f"{files.bin_dir}/ndsim", "collective", "all-to-all", "--ranks", "3", "--sizes", "1K"], files.folder, "exchange.html")
    page.open(file)
    page.wait("""document.querySelector('[data-test=chunk-on-0]').click();
                 return document.querySelector('[data-test=chunk-step-0]').value === document.querySelector('[data-test=chunk-step-0]').max""")
    # Everyone has the chunk with its own number from each of the others.
    cells = page.js("return [...document.querySelectorAll('[data-test=chunk-table-0] tbody tr')].map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent))")
    assert cells == [[str(member) if member == other else f"chunk {member} of {other}" for other in range(3)] for member in range(3)], cells
    said = page.test("chunk-said-0").text
    assert all(f"sends chunk {to} to {to}," in said for to in range(3)), said


def test_a_stretch_of_time_is_measured(page, files):
    page.open(files.pipeline)
    page.focus_timeline()
    page.press("n", "m")
    first = page.state("marks.measured")
    assert first["from"] == 0 and f"{first['to'] / 1e9:.1f} ms from 0 s on: compute" in page.test("measured").text, page.test("measured").text
    page.press("m")
    assert page.state("marks.measured") is None and page.test("measured").text == ""
    page.point(400, 60).key_down(Keys.SHIFT).click_and_hold().move_by_offset(200, 0).release().key_up(Keys.SHIFT).perform()
    page.settle()
    measured, view = page.state("marks.measured"), page.state("view")
    share = (measured["to"] - measured["from"]) / (view["to"] - view["from"])
    assert abs(share - 200 / (page.test("timeline-canvas").size["width"] - 132)) < 0.01
    assert page.state("view")["from"] == view["from"]


def test_a_rank_is_pinned_to_the_top(page, files):
    page.open(files.pipeline)
    place = page.state("place(0)")
    page.point(20, page.state("rowOf(2)")).click().perform()
    page.settle()
    assert [row["rank"] for row in page.state("rows")] == [2, 0, 1, 3]
    assert page.state("place(0)")["y"] > place["y"]
    page.point(20, page.state("rowOf(2)")).click().perform()
    page.settle()
    assert [row["rank"] for row in page.state("rows")] == [0, 1, 2, 3]


def test_the_timeline_is_a_table_too(page, files):
    page.open(files.pipeline)
    page.test("list-spans-0").click()
    page.one("[data-test=span-rows-0-more]").click()
    rows = page.rows("span-rows-0")
    computing = {}
    for row in rows:
        if row[1] == "compute":
            computing[row[0]] = computing.get(row[0], 0) + digits(row[4])
    expected = {f"Rank {rank['rank']}": picoseconds(rank["compute_seconds"]) for rank in files.json["per_rank"]}
    assert computing == expected


def test_hostile_names_are_shown_as_text(page, files):
    page.open(files.hostile)
    assert page.js("return window.harm") is None
    assert page.complaints() == []
    title = page.one("h1").text
    assert "<script>" in title and page.js("return document.querySelectorAll('h1 script, img, iframe, b').length") == 0
    assert page.js("return ndsim.runs[0].labels.length") == 100
    page.js("for (const more of document.querySelectorAll('[data-test$=-more]')) more.click()")
    page.test("list-spans-0").click()
    page.js("for (const more of document.querySelectorAll('[data-test$=-more]')) more.click()")
    page.focus_timeline()
    for _ in range(3):
        page.press("n")
    assert page.js("return window.harm") is None
    assert page.complaints() == []
    assert page.js("return document.documentElement.scrollWidth <= innerWidth")


def test_more_spans_than_a_page_draws_are_said_to_be_merged(page, files):
    page.open(files.merged)
    run = page.state("runs[0]")
    assert run["merged"]["spans"] > 0
    assert "Level of detail" in page.test("merged").text
    # The sums cover every span.
    assert [(sum["label"], sum["count"]) for sum in run["sums"]] == [("short", "10000")]
    assert page.state("drawn")["rectangles"] <= 2000


def test_links_carry_what_is_sent_over_them(page, files):
    page.open(files.links)
    for button in page.all("[data-test=links-table-0-more]"):
        button.click()
    rows = page.rows("links-table-0")
    # Each of 16 ranks sends 2 x 15/16 of 500 MB to the next: at most that much over either NIC, and nothing over other links.
    assert {float(row[3]) for row in rows} == {0, 937.5e6}
    assert all(float(row[5].split()[0]) <= 100.1 for row in rows), rows
    page.js("""const scrub = document.querySelector('[data-test=scrub]'); scrub.value = '0'; scrub.dispatchEvent(new Event('input'));""")
    assert "Now the busiest link" in page.test("network-now-0").text and ": 0.0 %" in page.test("network-now-0").text
    page.js("""const scrub = document.querySelector('[data-test=scrub]'); scrub.value = '9900'; scrub.dispatchEvent(new Event('input'));""")
    assert ": 0.0 %" not in page.test("network-now-0").text


def test_checkpoints_have_a_colour_of_their_own_where_there_are_any(page, files):
    train = [f"{files.bin_dir}/1d_data_parallel", "--host", "fiber", "--steps", "4", "--checkpoint-every", "1", "--checkpoint-time", "9s", "--quiet"]
    file, _ = make_page(train, files.folder, "checkpoints.html")
    page.open(file)
    assert "checkpoint" in page.test("legend").text
    page.open(files.pipeline)
    assert "checkpoint" not in page.test("legend").text


def test_a_run_that_failed_says_why(page, files):
    page.open(files.failed)
    assert page.test("fault").text.startswith("The run ended early:")
    assert files.said.strip().splitlines()[-1] in page.test("fault").text


def test_a_predicted_step_has_totals_and_a_critical_path(page, files):
    page.open(files.step)
    end = int(page.state("runs[0].end"))
    names = page.columns("totals-0")
    categories = page.state("runs[0].account")
    ranks = page.rows("totals-0")
    for i, row in enumerate(ranks):
        shown = dict(zip(names, row))
        assert [digits(shown[one["title"]]) for one in categories] == [int(one["ranks"][i]) for one in categories]
        assert sum(digits(shown[one["title"]]) for one in categories) == end
    # The averages match those of --json, which are also in the page's verdict.
    budget = {category: seconds for category, seconds in files.step_json["breakdown"].items() if seconds > 0}
    assert budget.keys() == {one["name"] for one in categories}
    for one in categories:
        assert abs(sum(map(int, one["ranks"])) / len(ranks) - budget[one["name"]] * 1e12) < 1, one
    assert [row[1] for row in page.rows("explain-budget-categories")] == [one["title"] for one in categories]
    assert [float(row[2]) for row in page.rows("explain-budget-categories")] == list(budget.values())
    # The path is as long as the step, and the collectives inside passes do not count as work of their own.
    kinds = {row[1] for row in page.rows("path-sums-0")}
    assert "compute" in kinds and kinds <= {"compute", "collective", "message", "send", "receive"}, kinds


def test_the_page_of_a_step_has_its_budget_above_the_picture_and_its_verdict_below(page, files):
    page.open(files.step)
    assert page.complaints() == []
    order = page.js("return [...document.querySelectorAll('main > [data-test]')].map((one) => one.dataset.test)")
    assert order[:4] == ["sentence", "account", "timeline", "verdict"], order
    bubble = max((category for category in files.step_json["breakdown"] if category != "compute"), key=files.step_json["breakdown"].get)
    assert bubble == "bubble" and "largest loss: pipeline bubble (" in page.test("sentence").text
    parts = page.js("return [...document.querySelectorAll('#verdict > section')].map((one) => one.dataset.test)")
    assert parts == ["explain-verdict", "explain-budget", "explain-memory", "explain-cost", "explain-advice"], parts
    said = page.js("return document.querySelector('#verdict').textContent")
    assert files.step_json["limiter"] in said
    assert float(page.rows("explain-cost-costs")[0][3]) == files.step_json["cost_per_step"]["usd"]
    faster = page.rows("explain-advice-faster")
    tried = {advice["what"]: advice for advice in files.step_json["advice"]["tried"]}
    assert faster and all(float(row[1]) == tried[row[3]]["step_seconds"] for row in faster)


def test_the_page_of_a_pytorch_run_begins_with_its_answer(page, files):
    page.open(files.answered)
    assert page.complaints() == []
    assert page.one("#verdict-title").text == "The run in short"
    parts = page.js("return [...document.querySelectorAll('#verdict > section')].map((one) => one.dataset.test)")
    assert parts == [f"explain-{part}" for part in ("verdict", "budget", "memory", "advice", "against", "recognised", "ranks")], parts
    assert page.one("[data-test=explain-verdict-said]").text == "hf.py on 16 x <b>H100</b>"
    answer = files.answer
    figures = {row[0]: row[1] for row in page.rows("explain-verdict-figures")}
    assert float(figures["step"]) == answer["step_seconds"]
    assert float(figures["tokens a second on each GPU"]) == answer["tokens_per_second_per_gpu"]
    assert float(figures["MFU"]) == answer["mfu"]
    assert int(figures["memory reserved"]) == answer["memory"]["reserved"]
    assert float(figures["cost of a billion tokens"]) == answer["cost"]["usd_per_billion_tokens"]
    budget = {row[1]: float(row[2]) for row in page.rows("explain-budget-parts")}
    assert list(budget.values()) == [seconds for seconds in answer["step_breakdown"].values() if seconds], budget
    assert budget["idle, for the host"] == answer["step_breakdown"]["idle"]
    held = {row[1]: int(row[2]) for row in page.rows("explain-memory-parts")}
    assert sum(held.values()) == answer["memory"]["reserved"]
    assert [row[1] for row in page.rows("explain-advice-changes")] == [one["option"] for one in answer["advice"]]
    against = [(row[0], *map(float, row[1:])) for row in page.rows("explain-against-rows")]
    assert against == [(one["what"], one["run"], one["train"], one["ratio"]) for one in answer["against"]["rows"]]
    assert page.test("explain-against-drawing").text == answer["against"]["command"]
    layout = {row[0]: row[1] for row in page.rows("explain-recognised-layout")}
    assert (layout["dp"], layout["precision"]) == ("16", "bf16")
    assert [int(row[1]) for row in page.rows("explain-ranks-ranks")] == [8, 8]


def test_the_bars_of_an_answer_are_as_long_as_its_shares(page, files):
    page.open(files.answered)
    step = sum(files.answer["step_breakdown"].values())
    memory = files.answer["memory"]
    for section, parts, whole in [("budget", files.answer["step_breakdown"], step), ("memory", memory, memory["capacity"])]:
        widths = page.js(f"""return [...document.querySelectorAll('[data-test=explain-{section}] .whole .part')]
                             .map((piece) => [piece.className.split('part-')[1], parseFloat(piece.style.width) / 100])""")
        assert widths, section
        for part, width in widths:
            assert abs(width - parts[part] / whole) < 1e-5, (section, part, width)
        # Each kind has a distinct colour.
        colours = page.js(f"""return [...document.querySelectorAll('[data-test=explain-{section}] .swatch')]
                              .map((one) => {{ const style = getComputedStyle(one); return style.backgroundColor + style.backgroundImage; }})""")
        assert len(set(colours)) == len(colours) == len(widths), colours
        assert "rgba(0, 0, 0, 0)none" not in colours


def test_passes_of_all_micro_batches_are_one_row(page, files):
    page.open(files.step)
    assert len({row[0] for row in page.rows("path-sums-0")}) == len(page.rows("path-sums-0")) < 20
    labels = [row[0] for row in page.rows("sums-0")]
    assert labels.count("forward") == labels.count("backward") == 1, labels


def test_the_legend_names_what_has_a_colour_and_nothing_else(page, files):
    page.open(files.step)
    entries = [entry.text for entry in page.all("[data-test=legend] .swatched")]
    assert entries[:2] == ["forward, a colour for each micro-batch", "backward, darker"], entries
    assert sorted(entries[2:5]) == ["micro-batch overhead", "optimizer", "step overhead"], entries
    assert entries[5:] == ["send", "receive", "collective", "waiting for others", "critical path"], entries


def test_a_run_of_hours_is_shown(page, files):
    page.open(files.long)
    page.test("list-spans-0").click()
    assert [(row[0], digits(row[3])) for row in page.rows("span-rows-0")] == [("Rank 0", 0), ("Rank 1", 7)]


def compared(page, files, results):
    """Opens the page that `ndsim compare --report` writes; returns the --json output for the same results."""
    file, said = make_page([f"{files.bin_dir}/ndsim", "compare", *results, "--json"], files.folder, "compared.html")
    page.open(file)
    return json.loads(said)


def result(files, name, *command):
    file = os.path.join(files.folder, name)
    with open(file, "w") as out:
        subprocess.run([f"{files.bin_dir}/{command[0]}", *command[1:], "--json"], stdout=out, check=True)
    return file


def assert_is_compared(page, said):
    assert page.complaints() == []
    assert page.test("compare-sentence").text == said["sentence"]
    rows = [(row[0], *(float(cell.removesuffix(" s")) for cell in row[1:4])) for row in page.rows("compare-table")]
    parts = [(name, part["a_seconds"], part["b_seconds"], part["difference_seconds"]) for name, part in said["parts"].items()]
    assert rows == parts + [("all", said["a_seconds"], said["b_seconds"], said["difference_seconds"])], (rows, parts)
    assert {row[0] for row in page.rows("figures-table")} >= {"memory of the fullest GPU"}
    changed = [(name, one["a"] or "none", one["b"] or "none") for name, one in said["changed"].items()]
    assert [tuple(row) for row in page.rows("changed-table")] == changed
    runs = page.state("runs")
    assert [run["title"][:3] for run in runs] == ["A: ", "B: "]
    # Both runs share one time axis, as long as the longer run.
    ends = [int(run["end"]) for run in runs]
    assert ends == [picoseconds(said["a_seconds"]), picoseconds(said["b_seconds"])], ends
    assert page.state("view")["end"] == max(ends)


def test_results_of_two_scenarios_are_compared_in_one_page(page, files):
    pipeline = ["3d_pipeline_parallel", "--host", "fiber", "--quiet"]
    results = [result(files, "one.json", *pipeline), result(files, "other.json", *pipeline, "--schedule", "zb_h1", "--compute-units", "21")]
    said = compared(page, files, results)
    assert list(said["parts"]) == ["compute", "exposed communication", "bubble", "rest"]
    assert_is_compared(page, said)
    for run, file in enumerate(results):
        with open(file) as of:
            ranks = json.load(of)["per_rank"]
        assert [digits(row[1]) for row in page.rows(f"totals-{run}")] == [picoseconds(rank["compute_seconds"]) for rank in ranks]


def test_compared_runs_have_their_meshes(page, files):
    hybrid = ["4d_hybrid", "--ep", "1", "--layers", "2", "--host", "fiber", "--quiet"]
    compared(page, files, [result(files, f"hybrid{i}.json", *hybrid, *more) for i, more in enumerate([[], ["--schedule", "gpipe"]])])
    assert page.complaints() == []
    headings = [(row["run"], row["rank"], row["headings"][-1]) for row in page.state("rows") if row["headings"]]
    assert headings == [(0, 0, "pp 0"), (0, 4, "pp 1"), (1, 0, "pp 0"), (1, 4, "pp 1")], headings


def test_results_of_two_predicted_steps_are_compared_in_one_page(page, files):
    step = ["ndsim", "train", "--model", "llama3-8b", "--gpus", "64", "--tp", "2", "--pp", "4", "--global-batch", "64"]
    said = compared(page, files, [result(files, "step.json", *step), result(files, "interleaved.json", *step, "--interleave", "2")])
    assert_is_compared(page, said)
    assert "Stage 3" in page.rows("totals-1")[3][0]


def test_five_predicted_steps_stand_side_by_side_with_their_memory(page, files):
    step = ["ndsim", "train", "--model", "llama3.2-1b", "--gpus", "8", "--global-batch", "16"]
    layouts = [[], ["--zero", "3"], ["--tp", "2"], ["--pp", "2"], ["--recompute", "full"]]
    results = [result(files, f"five{i}.json", *step, *layout) for i, layout in enumerate(layouts)]
    said = compared(page, files, results)
    assert page.complaints() == []
    rows = page.rows("runs-table")
    assert [row[0][:3] for row in rows] == ["A: ", "B: ", "C: ", "D: ", "E: "]
    assert [int(row[6]) for row in rows] == [one["peak_memory_bytes"] for one in said["steps"]]
    assert [digits(row[1]) for row in rows] == [picoseconds(one["step_seconds"]) for one in said["steps"]]
    assert len(page.all("canvas.memory")) == 5


def test_a_page_of_two_runs_says_what_it_is_given(page, files):
    page.open(files.two)
    assert len(page.state("runs")) == 2
    assert page.test("compare-sentence").text == '<img src=x onerror="window.harm = 3"> 3'
    assert [picoseconds(float(row[3].removesuffix(" s"))) for row in page.rows("compare-table")] == [3000000, -1000000, 2000000]
    assert [row[1] for row in page.rows("changed-table")] == ["none"]
    assert len(page.rows("totals-1")) == 1
    assert page.js("return window.harm === undefined")
    assert page.complaints() == []


def assert_is_explained(page, files, *options):
    file, said = make_page([f"{files.bin_dir}/ndsim", "explain", *options, "--json"], files.folder, "explained.html")
    page.open(file)
    assert page.complaints() == []
    for key, part in json.loads(said)["sections"].items():
        assert [one.text for one in page.all(f"[data-test='explain-{key}-said']")] == part["said"], key
        for more in page.all(f"[data-test='explain-{key}'] [data-test$='-more']"):
            if more.is_displayed():
                more.click()
        texts = page.js("""return [...document.querySelectorAll(`[data-test='explain-${arguments[0]}-figures'] tbody tr`)].map((row) =>
            [...row.children].map((cell) => cell.textContent))""", key)
        figures = [figure for figure in part["figures"].values()
                   if figure["unit"] not in ("words", "command") or not any(figure["text"] in said for said in part["said"])]
        assert [row[1] for row in texts] == [figure["text"][:120] for figure in figures], key
        drawings = [one.text for one in page.all(f"[data-test='explain-{key}-drawing']")]
        assert drawings == (["\n".join(part["drawing"])] if part["drawing"] else []), (key, drawings)
        words = page.js("""return [...document.querySelectorAll(`[data-test='explain-${arguments[0]}'] dt`)].map((one) => one.textContent)""", key)
        assert words == list(part["words"]), key
        for name, table in part["tables"].items():
            values = [[cell["value"] for cell in row.values()] for row in table["rows"]]
            shown = page.rows(f"explain-{key}-{name}")
            assert len(shown) == len(values), (key, name)
            for row, expected in zip(shown, values):
                for cell, value in zip(row, expected):
                    assert value is None or (float(cell) == value if not isinstance(value, str) else cell == value), (key, name, cell, value)


def test_an_explained_step_says_on_the_page_what_json_says(page, files):
    assert_is_explained(page, files, "--gpus", "16", "--pp", "2")


def test_an_explained_run_says_on_the_page_what_json_says(page, files):
    assert_is_explained(page, files, "3d_pipeline_parallel", "--level", "beginner")
    assert len(page.state("runs")) == 1


def test_a_page_without_an_explanation_has_no_such_part(page, files):
    page.open(files.step)
    assert page.all("#explanation-title") == []


RUN_AXE = """const done = arguments[0];
axe.run().then(({ violations }) => done(violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))),
               (error) => done([String(error)]));"""


def test_axe_finds_nothing_that_keeps_anyone_out(page, files):
    source = axe(files.bin_dir)
    if source is None:
        print("skipped axe-core: it is not here, nor does npm bring it")
        return
    pages = (files.pipeline, files.step, files.hybrid, files.ring, files.links, files.failed, files.answered, files.hostile, files.two)
    for scheme in ("light", "dark"):
        page.prefer(scheme)
        for file in pages:
            page.open(file)
            page.js(source)
            assert page.driver.execute_async_script(RUN_AXE) == [], (scheme, file)


def main():
    bin_dir, wanted = sys.argv[1], sys.argv[2:]
    failed = 0
    with tempfile.TemporaryDirectory() as folder, Page() as page:
        files = Files(bin_dir, folder)
        files.hostile, files.merged, files.two, files.long = (
            os.path.join(folder, f"{name}.html") for name in ("hostile", "merged", "two", "long"))
        assert os.spawnl(os.P_WAIT, f"{bin_dir}/ndsim_write_pages", "ndsim_write_pages", folder) == 0
        tests = [(name, test) for name, test in globals().items() if name.startswith("test_")]
        for name, test in tests:
            if wanted and not any(part in name for part in wanted):
                continue
            try:
                page.complaints()
                page.widen(WIDTH)
                page.prefer("light")
                test(page, files)
                print(f"ok      {name}")
            except Exception:
                failed += 1
                print(f"FAILED  {name}")
                traceback.print_exc(file=sys.stdout)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
