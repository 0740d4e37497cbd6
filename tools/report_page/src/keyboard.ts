// Keyboard shortcuts, which work anywhere on the page except in an input field.
import type { Help } from "./help";
import type { Replay } from "./replay";
import type { Search } from "./search";
import type { Timeline } from "./timeline";
import { flipTheme } from "./theme";
import type { Run } from "./data";

interface Parts {
    runs: Run[];
    timeline: Timeline;
    replay: Replay;
    search: Search;
    help: Help;
}

function step(parts: Parts, by: number): void {
    const { timeline, runs } = parts;
    const { run, selected } = timeline.marks;
    const { kind, rank, size, header } = runs[run];
    const quiet = new Set(["log", "allocate"]);
    const from = selected < 0 ? (by > 0 ? -1 : size) : selected;
    for (let span = from + by; span >= 0 && span < size; span += by) {
        if (quiet.has(header.kinds[kind[span]])) continue;
        if (selected >= 0 && rank[span] !== rank[selected]) return;
        return timeline.choose(run, span);
    }
}

function follow({ timeline, runs }: Parts): void {
    const { run, selected } = timeline.marks;
    const other = selected < 0 ? -1 : runs[run].partner[selected];
    if (other >= 0) timeline.choose(run, other);
}

// Actions by KeyboardEvent.key in lower case.
function actions(parts: Parts): Record<string, () => void> {
    const { runs, timeline, replay, search, help } = parts;
    const { view, marks } = timeline;
    const scroll = (by: number) => () => ((view.scroll += by), timeline.request());
    const heighten = (by: number) => () => ((view.height = Math.max(2, Math.min(48, view.height + by))), timeline.request());
    const seek = (by: number) => () => replay.seek((view.cursor < 0 ? 0 : view.cursor) + by * view.length);
    const left = () => view.pan(-0.15);
    const right = () => view.pan(0.15);
    const closer = () => view.zoom(0.7);
    const farther = () => view.zoom(1 / 0.7);
    return {
        arrowleft: left, a: left, arrowright: right, d: right, arrowup: scroll(-40), arrowdown: scroll(40),
        "+": closer, "=": closer, w: closer, "-": farther, s: farther, "0": () => view.all(), home: () => view.all(),
        "[": heighten(-2), "]": heighten(2), " ": () => replay.flip(), ",": seek(-0.01), ".": seek(0.01),
        n: () => step(parts, 1), p: () => step(parts, -1), f: () => follow(parts),
        m: () => timeline.flipMeasure(), k: () => marks.selected >= 0 && timeline.pin(marks.run, runs[marks.run].rank[marks.selected]),
        x: () => ((marks.messages = !marks.messages), timeline.request()),
        c: () => ((marks.path = !marks.path), timeline.request()),
        "/": () => search.field.focus(), t: flipTheme, "?": () => help.flip(),
        escape: () => (replay.stop(), timeline.measure(null), timeline.choose(0, -1)),
    };
}

export function listenToKeys(parts: Parts): void {
    const all = actions(parts);
    // These keys also scroll the page, so they are handled only while the timeline has the focus.
    const shared = new Set(["arrowup", "arrowdown", "home"]);
    document.addEventListener("keydown", (event) => {
        const target = event.target as HTMLElement;
        const typing = target.matches("input, select, textarea") || parts.help.overlay.open;
        if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
        const key = event.key.toLowerCase();
        const pressing = target.matches("button") && (key === " " || key === "enter");
        if (pressing || !(key in all) || (shared.has(key) && target !== parts.timeline.canvas)) return;
        event.preventDefault();
        all[key]();
    });
}
