// Assembles the page.
import { Kind, readRuns, type Run } from "./data";
import { button, clipped, element, name, section, sentence, swatched } from "./dom";
import { explanationSection, readExplanation, verdictSection } from "./explain";
import { exact, time, whole } from "./format";
import { Help } from "./help";
import { listenToKeys } from "./keyboard";
import { labelsSection } from "./labels";
import { chunksSection } from "./chunks";
import { layoutOf } from "./lanes";
import { compareSection, readComparison } from "./compare";
import { linksSection } from "./links";
import { matrixSection } from "./matrix";
import { memoryOf } from "./memory";
import { underWay } from "./overlay";
import { pathSection } from "./path";
import { Replay } from "./replay";
import { runsSection } from "./runs";
import { Search } from "./search";
import { spansSection } from "./spans";
import { accountBar, spentSection } from "./spent";
import { isDark } from "./colors";
import { beginTheme, flipTheme, onTheme } from "./theme";
import { Timeline } from "./timeline";
import { View } from "./view";

function heading(runs: Run[], help: Help): HTMLElement {
    const made = element("header", {});
    const titles = runs.map((run) => run.header.title);
    const title = titles.length > 2 ? `${titles.length} runs` : titles.join(" / ");
    document.title = `${clipped(title)} \u2013 ndsim`;
    made.append(element("h1", {}, name(title, 200)));
    const tools = element("div", { class: "tools" });
    const shade = button("", "Dark or light (T)", "theme", flipTheme);
    const label = () => (shade.textContent = isDark() ? "Light" : "Dark");
    label();
    onTheme(label);
    tools.append(shade, button("Keys", "The list of keys (?)", "help-open", () => help.flip()));
    made.append(tools);
    for (const run of runs) {
        const { header } = run;
        const facts = element("p", { class: "facts", "data-test": "facts" });
        if (runs.length > 1) facts.append(element("strong", {}, name(header.title)), " ");
        facts.append(
            `${whole(header.ranks)} rank${header.ranks === 1 ? "" : "s"}, `,
            element("span", { title: exact(header.end), "data-exact": header.end, "data-test": "end" }, time(Number(header.end))),
            ` of simulated time, ${whole(header.spans)} spans`,
        );
        for (const [what, value] of header.facts) facts.append(" \u00b7 ", name(what), ": ", name(value));
        made.append(facts);
        if (header.fault !== "") {
            made.append(element("p", { class: "fault", role: "alert", "data-test": "fault" }, "The run ended early: ", name(header.fault, 4000)));
        }
        if (header.merged.spans > 0) {
            made.append(
                element("p", { class: "notice", "data-test": "merged" },
                    `Level of detail: ${whole(header.merged.spans)} spans shorter than ${time(Number(header.merged.shorter_than))} are drawn as ` +
                    `${whole(header.merged.bars)} bars, each of one rank, stream and kind, without messages. All sums and tables but that of the timeline are of every span.`),
            );
        }
    }
    return made;
}

function legend(timeline: Timeline, runs: Run[]): HTMLElement {
    const made = element("p", { class: "legend", "data-test": "legend" });
    const add = (of: string, title: string) => made.append(swatched(of, name(title)));
    const passes = runs.some((run) => run.header.passes.some((pass) => pass !== ""));
    if (passes) ["forward, a colour for each micro-batch", "backward, darker"].forEach((title, i) => add("fb"[i] + "0", title));
    const { shades } = timeline.painter;
    if (shades.length === 1 && shades[0].names.length > (passes ? 0 : 1)) shades[0].names.forEach((title, i) => add(`shade-${i}`, title));
    else if (!passes) add("compute", "compute");
    for (const of of ["send", "receive", "collective"]) add(of, of);
    if (runs.some((run) => run.header.sums.some((sum) => sum.kind === Kind.checkpoint))) add("checkpoint", "checkpoint");
    add("idle", "waiting for others");
    add("path", "critical path");
    return made;
}

// Groups the ranks by an axis of their mesh, the outermost at first; null: there is no choice.
function groupChoice(timeline: Timeline, runs: Run[]): HTMLElement | null {
    const { axes } = runs[0].header;
    timeline.regroup(axes.length > 1 ? axes[0].name : null);
    if (axes.length < 2) return null;
    const made = element("select", { "data-test": "group" });
    for (const { name } of axes) made.append(element("option", { value: name }, name));
    made.append(element("option", { value: "" }, "none"));
    made.addEventListener("change", () => timeline.regroup(made.value || null));
    return element("label", {}, "group by ", made);
}

function timelineSection(timeline: Timeline, runs: Run[], replay: Replay, search: Search, overlapping: number): HTMLElement {
    const { view, marks } = timeline;
    const made = section("timeline", "Timeline", "");
    const check = (title: string, test: string, set: (on: boolean) => void, get: () => boolean) => {
        const box = element("input", { type: "checkbox", "data-test": test });
        box.checked = get();
        box.addEventListener("change", () => (set(box.checked), timeline.request()));
        document.addEventListener("keyup", () => (box.checked = get()));
        return element("label", {}, box, title);
    };
    const groups = groupChoice(timeline, runs);
    made.append(
        element("div", { class: "bar" },
            ...search.parts,
            button("+", "Zoom in (+)", "zoom-in", () => view.zoom(0.5)),
            button("\u2212", "Zoom out (-)", "zoom-out", () => view.zoom(2)),
            button("All", "Show the whole run (0)", "zoom-all", () => view.all()),
            check("messages", "show-messages", (on) => (marks.messages = on), () => marks.messages),
            check("critical path", "show-path", (on) => (marks.path = on), () => marks.path), groups),
        element("div", { class: "stage" }, timeline.canvas, timeline.tip),
        memoryOf(runs, timeline) ?? "",
        replay.bar, legend(timeline, runs), timeline.measured, timeline.chosen);
    if (overlapping > 0) {
        made.append(element("p", { class: "notice" }, `${whole(overlapping)} spans overlap others in the last lane of their stream.`));
    }
    return made;
}

// A debugging interface for tests and curious people; the page itself does not depend on it.
function publish(runs: Run[], timeline: Timeline, replay: Replay, search: Search, firstPicture: () => number): void {
    const { view, marks, painter, geometry } = timeline;
    const state = {
        get ready() { return firstPicture() > 0; },
        get firstPicture() { return firstPicture(); },
        get runs() { return runs.map((run) => run.header); },
        get view() { return { from: view.from, to: view.to, scroll: view.scroll, height: view.height, end: view.end }; },
        get cursor() { return view.cursor; },
        get playing() { return replay.playing; },
        get found() { return search.size; },
        get selected() { return marks.selected; },
        get marks() { return { messages: marks.messages, path: marks.path, measured: marks.measured }; },
        get dark() { return isDark(); },
        get frames() { return [...timeline.frames]; },
        get drawn() { return { rectangles: painter.rectangles, rasters: painter.rasters, shortLabels: painter.shortLabels, waits: painter.named }; },
        get rows() { return timeline.layout.ranks.map(({ run, rank, headings }) => ({ run, rank, headings })); },
        get underWay() {
            return runs.flatMap((run, i) => underWay(run, i, timeline.layout, Math.max(0, view.cursor)).map((receive) => ({ from: run.rank[run.partner[receive]], to: run.rank[receive] })));
        },
        // The position of a span on the canvas, so that a test can move the mouse to it.
        spanOf(label: number) { return runs[0].label.indexOf(label); },
        box(span: number) { return { left: geometry.x(runs[0].begin[span]), top: geometry.top(0, span) }; },
        rowOf(rank: number) { return geometry.placeOf(0, rank).y + 6; },
        get waits() { return runs[0].header.rank_names.flatMap((_, rank) => [...painter.waits[0].between(rank, 0, view.end)].map((wait) => ({ rank, ...wait }))); },
        place(span: number) { return { x: geometry.x(runs[0].begin[span] + runs[0].length[span] / 2), y: geometry.middle(0, span) }; },
    };
    Object.defineProperty(window, "ndsim", { value: Object.freeze(state), writable: false });
}

async function begin(): Promise<void> {
    beginTheme();
    const runs = await readRuns();
    const layout = layoutOf(runs);
    const view = new View(Math.max(1, ...runs.map((run) => run.end)));
    const timeline = new Timeline(runs, layout, view);
    const replay = new Replay(timeline);
    const search = new Search(runs, timeline);
    const help = new Help();
    let first = 0;
    publish(runs, timeline, replay, search, () => first);

    const page = element("main");
    const comparison = readComparison();
    const explanation = readExplanation("explanation");
    const verdict = readExplanation("verdict");
    const bar = verdict && accountBar(runs[0]);
    page.append(heading(runs, help), ...(comparison ? [sentence("compare-sentence", comparison.sentence)] : runs.length === 1 ? [sentence("sentence", runs[0].header.sentence)] : []), bar ?? "",
        timelineSection(timeline, runs, replay, search, layout.overlapping), verdict ? verdictSection(verdict, bar !== null) : "", help.overlay);
    document.body.replaceChildren(page);
    listenToKeys({ runs, timeline, replay, search, help });
    onTheme(() => (timeline.painter.recolor(), timeline.paint()));
    timeline.fit();
    timeline.paint();
    first = performance.now();

    // The rest follows once the first picture is on the screen.
    requestAnimationFrame(() => setTimeout(() => {
        if (comparison) page.append(compareSection(comparison));
        if (runs.length > 1) page.append(runsSection(runs));
        if (explanation) page.append(explanationSection(explanation));
        runs.forEach((run, i) => {
            if (runs.length > 1) page.append(element("h2", { class: "run", id: `run-${i}` }, name(run.header.title)));
            const links = linksSection(run, i, view);
            if (links) replay.listeners.push(links.show);
            const parts = [spentSection(run, i), pathSection(run, i), chunksSection(run, i), matrixSection(run, i), links?.section ?? null, labelsSection(run, i), spansSection(run, i, view)]
                .filter((part): part is HTMLElement => part !== null);
            // Sections of several runs have the same titles, so their runs' titles belong to their names.
            if (runs.length > 1) for (const part of parts) part.setAttribute("aria-labelledby", `run-${i} ${part.id}-title`);
            page.append(...parts);
        });
        document.body.dataset.complete = "true";
    }));
}

begin().catch((error: unknown) => {
    document.body.replaceChildren(element("p", { class: "fault", "data-test": "failure" }, `This page cannot be shown: ${String(error)}`));
});
