// The timeline: its canvas, and navigation by mouse, wheel, touch and keys.
import type { Run } from "./data";
import { lines, title } from "./describe";
import { clipped, element, name } from "./dom";
import { arrange, upper, type Lane, type Layout } from "./lanes";
import { axis, fitGutter, Geometry, gutter, heading } from "./geometry";
import type { Marks } from "./marks";
import { measuredWords } from "./measure";
import { Painter } from "./painter";
import type { View } from "./view";

export class Timeline {
    readonly canvas = element("canvas", {
        tabindex: "0", "data-test": "timeline-canvas", role: "application",
        "aria-label": "Timeline of all ranks. Arrow keys move, plus and minus zoom, question mark lists all keys. The tables below hold the same data.",
    });
    readonly tip = element("div", { class: "tip", hidden: "", "data-test": "tip" });
    readonly chosen = element("div", { class: "chosen", "data-test": "chosen", "aria-live": "polite" });
    readonly marks: Marks;
    readonly geometry: Geometry;
    readonly painter: Painter;
    readonly frames: number[] = []; // durations of the last frames in milliseconds
    readonly painted: (() => void)[] = []; // called after each picture
    readonly measured = element("p", { class: "faint", "data-test": "measured", "aria-live": "polite" });
    private group: string | null = null;
    private waiting = false;
    onSeek: (time: number) => void = () => {};

    constructor(private readonly runs: Run[], readonly layout: Layout, readonly view: View) {
        this.marks = { hovered: -1, selected: -1, run: 0, searching: false, found: runs.map(() => new Set()), measured: null, messages: true, path: true };
        fitGutter(runs, this.canvas.getContext("2d")!);
        this.geometry = new Geometry(this.canvas, runs, layout, view);
        this.painter = new Painter(this.canvas, runs, layout, this.geometry, view, this.marks);
        view.changed = () => this.request();
        this.listen();
        new ResizeObserver(() => this.request()).observe(this.canvas);
    }

    // Makes lanes as high as fits on the screen, within readable limits.
    fit(): void {
        const lanes = this.layout.ranks.reduce((sum, row) => sum + row.lanes.length, 0);
        const others = this.layout.ranks.reduce((sum, row) => sum + 4 + heading * row.headings.length, 0);
        this.view.height = Math.floor(Math.min(26, Math.max(4, (520 - others) / Math.max(1, lanes))));
        this.geometry.refresh();
        this.canvas.style.height = `${Math.min(Math.max(this.geometry.height + axis, 120), 640)}px`;
        this.request();
    }

    request(): void {
        if (this.waiting) return;
        this.waiting = true;
        requestAnimationFrame(() => {
            this.waiting = false;
            this.paint();
        });
    }
    paint(): void {
        const start = performance.now();
        this.painter.paint();
        this.painted.forEach((act) => act());
        this.frames.push(performance.now() - start);
        if (this.frames.length > 200) this.frames.shift();
    }

    // Marks a stretch of time and says what happens in it; null: none.
    measure(from: number | null, to = 0): void {
        this.marks.measured = from === null || from === to ? null : { from: Math.min(from, to), to: Math.max(from, to) };
        const { measured } = this.marks;
        this.measured.textContent = measured === null ? "" : measuredWords(this.runs, this.layout, measured.from, measured.to);
        this.request();
    }
    // The selected span, or the visible stretch; nothing if something is measured already.
    flipMeasure(): void {
        const { run, selected, measured } = this.marks;
        if (measured !== null) return this.measure(null);
        const { begin, length } = this.runs[run];
        if (selected >= 0) this.measure(begin[selected], begin[selected] + length[selected]);
        else this.measure(Math.max(0, this.view.from), Math.min(this.view.end, this.view.to));
    }

    // Keeps a rank at the top, or lets it go again.
    pin(run: number, rank: number): void {
        const row = this.geometry.placeOf(run, rank).row;
        row.pinned = !row.pinned;
        this.regroup();
    }
    // Sorts the ranks by the axis of the mesh that they are grouped by.
    regroup(group = this.group): void {
        this.group = group;
        arrange(this.layout, this.runs, group);
        this.request();
    }

    choose(run: number, span: number): void {
        this.marks.selected = span;
        this.marks.run = run;
        this.chosen.replaceChildren();
        if (span >= 0) {
            this.chosen.append(...this.description(run, span));
            this.reveal(run, span);
        }
        this.request();
    }

    // Scrolls and pans so that the span is visible.
    reveal(index: number, span: number): void {
        const run = this.runs[index];
        this.view.bring(run.begin[span], run.begin[span] + run.length[span]);
        const { y, row } = this.geometry.placeOf(index, run.rank[span]);
        const bottom = y + row.lanes.length * this.view.height;
        if (y < axis) this.view.scroll += y - axis - 10;
        else if (bottom > this.canvas.clientHeight) this.view.scroll += bottom - this.canvas.clientHeight + 10;
        this.request();
    }

    private description(index: number, span: number): Node[] {
        const run = this.runs[index];
        const list = element("dl");
        for (const [what, value] of lines(run, span)) list.append(element("dt", {}, what), element("dd", {}, name(value)));
        return [element("h3", {}, name(title(run, span), 300)), list];
    }

    // The span under a point of the canvas.
    at(x: number, y: number): { run: number; span: number } | null {
        if (x < gutter || y < axis) return null;
        for (const { row, y: top } of this.geometry.seen) {
            const inside = y - top;
            const lane = row.lanes[Math.floor(inside / this.view.height)];
            if (inside < 0 || !lane) continue;
            const span = this.nearest(lane, x);
            return span < 0 ? null : { run: lane.run, span };
        }
        return null;
    }
    private pinAt(y: number): void {
        const place = this.geometry.seen.find(({ row, y: top }) => y >= top && y < top + row.lanes.length * this.view.height);
        if (place) this.pin(place.row.run, place.row.rank);
    }
    // Short spans are hard to hit, so two pixels next to one also count.
    private nearest(lane: Lane, x: number): number {
        const run = this.runs[lane.run];
        const at = upper(lane.begin, this.geometry.time(x + 2)) - 1;
        if (at < 0) return -1;
        const span = lane.spans[at];
        return run.begin[span] + run.length[span] >= this.geometry.time(x - 2) ? span : -1;
    }

    private listen(): void {
        let held: { x: number; y: number; from: number; scroll: number; moved: boolean; measures: boolean } | null = null;
        this.canvas.addEventListener("wheel", (event) => {
            event.preventDefault();
            const { offsetX, deltaX, deltaY } = event;
            if (event.shiftKey) this.view.pan((deltaX + deltaY) / 800);
            else if (Math.abs(deltaX) > Math.abs(deltaY)) this.view.pan(deltaX / 800);
            else this.view.zoom(Math.exp(deltaY * 0.0015), this.geometry.time(Math.max(gutter, offsetX)));
        }, { passive: false });
        this.canvas.addEventListener("pointerdown", (event) => {
            this.canvas.setPointerCapture(event.pointerId);
            held = { x: event.offsetX, y: event.offsetY, from: this.view.from, scroll: this.view.scroll, moved: false, measures: event.shiftKey };
            if (event.offsetY < axis) this.onSeek(this.geometry.time(event.offsetX));
        });
        this.canvas.addEventListener("pointermove", (event) => {
            const { offsetX, offsetY } = event;
            if (held === null) return this.hover(offsetX, offsetY);
            if (held.y < axis) return this.onSeek(this.geometry.time(offsetX));
            held.moved ||= Math.abs(offsetX - held.x) + Math.abs(offsetY - held.y) > 3;
            if (!held.moved) return;
            this.tip.hidden = true;
            if (held.measures) return this.measure(this.geometry.time(Math.max(gutter, held.x)), this.geometry.time(Math.max(gutter, offsetX)));
            const length = this.view.length;
            const from = held.from - ((offsetX - held.x) / this.geometry.width) * length;
            this.view.scroll = held.scroll - (offsetY - held.y);
            this.view.show(from, from + length);
        });
        this.canvas.addEventListener("pointerup", (event) => {
            const clicks = held !== null && !held.moved && held.y >= axis;
            held = null;
            if (clicks && event.offsetX < gutter) return this.pinAt(event.offsetY);
            const found = clicks ? this.at(event.offsetX, event.offsetY) : undefined;
            if (found !== undefined) this.choose(found?.run ?? 0, found?.span ?? -1);
        });
        this.canvas.addEventListener("pointerleave", () => this.hover(-1, -1));
        this.canvas.addEventListener("dblclick", (event) => {
            const found = this.at(event.offsetX, event.offsetY);
            if (found === null) return this.view.all();
            const { begin, length } = this.runs[found.run];
            this.view.show(begin[found.span] - length[found.span] * 0.2, begin[found.span] + length[found.span] * 1.2);
        });
    }

    private hover(x: number, y: number): void {
        const found = this.at(x, y);
        const span = found?.span ?? -1;
        if (span !== this.marks.hovered) {
            this.marks.hovered = span;
            if (found) this.marks.run = found.run;
            this.request();
        }
        this.tip.hidden = found === null;
        if (found === null) return;
        const run = this.runs[found.run];
        const list = element("dl");
        for (const [what, value] of lines(run, span)) list.append(element("dt", {}, what), element("dd", {}, clipped(value)));
        this.tip.replaceChildren(element("strong", {}, name(title(run, span))), list);
        const room = this.canvas.clientWidth - this.tip.offsetWidth - 8;
        this.tip.style.left = `${Math.max(0, Math.min(x + 14, room))}px`;
        this.tip.style.top = `${y + 18}px`;
    }
}
