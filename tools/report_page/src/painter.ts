// Draws the timeline onto its canvas: rows of spans, the names of ranks, and the axis.
import { Class, classes, hatch, inkOn, theme, type Theme } from "./colors";
import { coordinatesOf, Kind, labelOf, shortOf, type Run } from "./data";
import { tick } from "./format";
import { axis, coordinateFont, gutter, heading, type Geometry, type Place } from "./geometry";
import { classOf, spentUntil, upper, type Lane, type Layout, type RankRow } from "./lanes";
import type { Marks } from "./marks";
import { Overlay } from "./overlay";
import { Raster } from "./raster";
import { shadesOf, type Shades } from "./shades";
import type { View } from "./view";
import { Waits } from "./waits";

const mostRectangles = 2500;

interface Sparse {
    lane: Lane;
    y: number;
    first: number;
    last: number;
}

export class Painter {
    theme: Theme = theme();
    private waiting!: CanvasPattern;
    private raster: Raster | null = null;
    private readonly context: CanvasRenderingContext2D;
    readonly shades: Shades[];
    readonly waits: Waits[];
    rectangles = 0; // drawn in the last picture
    shortLabels = 0;
    named = 0; // waits
    rasters = 0;

    constructor(
        private readonly canvas: HTMLCanvasElement,
        private readonly runs: Run[],
        private readonly layout: Layout,
        private readonly geometry: Geometry,
        private readonly view: View,
        private readonly marks: Marks,
    ) {
        this.context = canvas.getContext("2d")!;
        this.shades = runs.map(shadesOf);
        this.waits = runs.map((run) => new Waits(run));
        this.recolor();
    }

    recolor(): void {
        this.theme = theme();
        this.waiting = hatch(this.context, this.theme.waiting, this.theme.classes[Class.waiting]);
    }

    paint(): void {
        const { context, canvas, geometry } = this;
        const ratio = window.devicePixelRatio || 1;
        const [width, height] = [canvas.clientWidth, canvas.clientHeight];
        if (width === 0 || height === 0) return; // hidden
        if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
            canvas.width = Math.round(width * ratio);
            canvas.height = Math.round(height * ratio);
        }
        geometry.refresh();
        this.shortLabels = this.named = 0;
        context.setTransform(1, 0, 0, 1, 0, 0);
        context.fillStyle = this.theme.background;
        context.fillRect(0, 0, canvas.width, canvas.height);
        const { seen } = geometry;
        this.paintSpans(seen, ratio);
        new Overlay(context, this.runs, this.layout, geometry, this.marks, this.theme).paint();
        this.paintNames(seen, height);
        this.paintAxis(width, height);
    }

    // Reuses the last picture's raster if its size and colours match.
    private rasterOf(width: number, height: number): Raster {
        const last = this.raster;
        if (last === null || last.width !== width || last.height !== height || last.theme !== this.theme) {
            return (this.raster = new Raster(width, height, this.theme));
        }
        last.clear();
        return last;
    }

    // Draws rows with few spans as rectangles, others as pixels.
    private paintSpans(seen: Place[], ratio: number): void {
        const { context, geometry, view } = this;
        const raster = this.rasterOf(Math.max(1, Math.round(geometry.width * ratio)), this.canvas.height);
        const height = Math.max(1, Math.round((view.height - geometry.inset) * ratio));
        const sparse: Sparse[] = [];
        let left = mostRectangles;
        this.rasters = 0;
        for (const { row, y: top } of seen) {
            row.lanes.forEach((lane, i) => {
                const y = top + i * view.height;
                if (y + view.height <= axis || y >= this.canvas.clientHeight) return;
                const first = Math.max(0, upper(lane.begin, view.from) - 1);
                const last = upper(lane.begin, view.to, first);
                if (last - first <= Math.min(left, geometry.width / 3)) {
                    left -= last - first;
                    sparse.push({ lane, y, first, last });
                    return;
                }
                ++this.rasters;
                raster.row(this.runs[lane.run], lane, Math.round(y * ratio), height, view.from, view.length / raster.width);
            });
        }
        raster.put(context, Math.round(gutter * ratio));
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        this.rectangles = mostRectangles - left;
        this.paintWaits(seen, (from, y, width, height) => {
            context.fillStyle = this.waiting;
            context.fillRect(from, y, width, height);
        });
        for (const row of sparse) this.paintLane(row);
        this.paintWaits(seen, (from, y, width, height, name) => this.paintWait(from, y, width, height, name));
        this.paintLogs(seen);
    }

    private paintLane({ lane, y, first, last }: Sparse): void {
        const { context, geometry } = this;
        const run = this.runs[lane.run];
        const height = this.view.height - geometry.inset;
        const right = gutter + geometry.width;
        context.font = `${Math.min(12, height - 3)}px system-ui, sans-serif`;
        context.textBaseline = "middle";
        for (let i = first; i < last; ++i) {
            const span = lane.spans[i];
            const from = Math.max(gutter, geometry.x(run.begin[span]));
            const to = Math.min(right, geometry.x(run.begin[span] + run.length[span]));
            if (to < gutter || from > right) continue;
            const color = this.colorOf(lane.run, span);
            context.globalAlpha = this.marks.searching && !this.marks.found[lane.run].has(run.label[span]) ? 0.15 : 1;
            context.fillStyle = color;
            context.fillRect(from, y, Math.max(1, to - from - (to - from > 4 ? 0.75 : 0)), height);
            const works = Math.max(from, Math.min(to, geometry.x(run.begin[span] + run.idle[span])));
            if (run.idle[span] > 0 && works - from >= 1) {
                context.fillStyle = this.waiting;
                context.fillRect(from, y, works - from, height);
                context.fillStyle = color;
                context.fillRect(from, y, works - from, Math.min(2, height / 4));
            }
            this.paintLabel(run, span, works, to, y + height / 2, inkOn(color));
        }
        context.globalAlpha = 1;
    }

    // Calls `paint` for the visible waits of each rank.
    private paintWaits(seen: Place[], paint: (from: number, y: number, width: number, height: number, name: string) => void): void {
        const { geometry, view } = this;
        for (const { row, y } of seen) {
            for (const { begin, end, name } of this.waits[row.run].between(row.rank, view.from, view.to)) {
                const from = Math.max(gutter, geometry.x(begin));
                const to = Math.min(gutter + geometry.width, geometry.x(end));
                paint(from, y, to - from, view.height - geometry.inset, name);
            }
        }
    }

    // Names a wait, if there is room.
    private paintWait(from: number, y: number, width: number, height: number, name: string): void {
        const { context, theme } = this;
        context.font = "11px system-ui, sans-serif";
        const room = context.measureText(name).width + 8;
        if (width < room + 6 || height < 10) return;
        context.fillStyle = theme.classes[Class.waiting];
        context.fillRect(from + (width - room) / 2, y + 2, room, height - 4);
        context.fillStyle = theme.text;
        context.textBaseline = "middle";
        context.fillText(name, from + (width - room) / 2 + 4, y + height / 2 + 0.5);
        ++this.named;
    }

    private colorOf(index: number, span: number): string {
        const run = this.runs[index];
        const pass = run.header.passes[run.label[span]];
        if (pass !== "" && run.kind[span] === Kind.compute) return this.theme.passes[pass];
        const kind = classOf(run.kind[span]);
        return kind === Class.compute ? this.theme.shades[Math.max(0, this.shades[index].ofLabel[run.label[span]])] : this.theme.classes[kind];
    }

    private paintLabel(run: Run, span: number, from: number, to: number, y: number, ink: string): void {
        const { context } = this;
        const room = to - from - 8;
        if (room < 2 || this.view.height < 11) return;
        const label = labelOf(run, span);
        const short = shortOf(run, span);
        const whole = room >= 22 ? this.fitted(label, room) : "";
        context.fillStyle = ink;
        // A micro-batch's letter and number are more useful than the beginning of a long label.
        if (short === "" || whole === label) {
            context.fillText(whole, from + 4, y + 0.5);
            return;
        }
        const font = context.font;
        const width = context.measureText(short).width;
        if (width > room + 6) context.font = "9px system-ui, sans-serif";
        const small = width > room + 6 ? context.measureText(short).width : width;
        if (small <= room + 6) {
            context.fillText(short, (from + to - small) / 2, y + 0.5);
            ++this.shortLabels;
        }
        context.font = font;
    }

    // Cuts a text to the available room.
    private fitted(text: string, room: number): string {
        const start = text.slice(0, 200);
        if (this.context.measureText(start).width <= room) return start;
        let [fits, wide] = [0, start.length];
        while (wide - fits > 1) {
            const middle = (fits + wide) >> 1;
            if (this.context.measureText(`${start.slice(0, middle)}\u2026`).width <= room) fits = middle;
            else wide = middle;
        }
        return `${start.slice(0, fits)}\u2026`;
    }

    private paintLogs(seen: Place[]): void {
        const { context, geometry } = this;
        context.fillStyle = this.theme.path;
        for (const { row, y } of seen) {
            let last = -10;
            for (const span of row.logs) {
                const x = geometry.x(this.runs[row.run].begin[span]);
                if (x < gutter || x > gutter + geometry.width || x - last < 2) continue;
                last = x;
                context.beginPath();
                context.moveTo(x - 3, y - 3);
                context.lineTo(x + 3, y - 3);
                context.lineTo(x, y + 2);
                context.fill();
            }
        }
    }

    private paintNames(seen: Place[], height: number): void {
        const { context, geometry } = this;
        context.fillStyle = this.theme.background;
        context.fillRect(0, 0, gutter - 1, height);
        context.textBaseline = "middle";
        let free = 0;
        for (const { row, y } of seen) {
            const run = this.runs[row.run];
            row.headings.forEach((text, i) => {
                const middle = y - (row.headings.length - i - 0.5) * heading;
                if (middle < axis + 6) return;
                context.font = "600 12px system-ui, sans-serif";
                context.fillStyle = this.theme.text;
                context.fillText(this.fitted(text, gutter + geometry.width - 16), 8, middle);
            });
            if (this.view.cursor >= 0) this.paintFill(row, y);
            row.lanes.forEach((lane, i) => {
                const middle = y + (i + 0.5) * this.view.height;
                const text = i === 0 ? run.header.rank_names[row.rank] : lane.name === row.lanes[i - 1].name ? "" : lane.name;
                if (text === "" || middle < free || middle < axis) return;
                context.font = i === 0 ? "12px system-ui, sans-serif" : "10px system-ui, sans-serif";
                context.fillStyle = i === 0 ? this.theme.text : this.theme.faint;
                context.fillText(this.fitted(text, gutter - 24), i === 0 ? 8 : 18, middle);
                if (i === 0) this.paintCoordinates(coordinatesOf(run, row.rank), 16 + context.measureText(text).width, middle);
                free = middle + 13;
            });
        }
    }

    private paintCoordinates(text: string, x: number, y: number): void {
        const { context } = this;
        context.font = coordinateFont;
        context.fillStyle = this.theme.faint;
        if (text !== "" && x + context.measureText(text).width < gutter) context.fillText(text, x, y);
    }

    // The share of time that a rank has spent so far on each activity.
    private paintFill(row: RankRow, y: number): void {
        const { context } = this;
        const run = this.runs[row.run];
        const { cursor } = this.view;
        const sums = new Float64Array(classes);
        spentUntil(run, row.lanes[0], cursor, upper(row.lanes[0].begin, cursor), sums);
        const height = this.view.height - this.geometry.inset;
        let x = 4;
        context.globalAlpha = 0.4;
        for (const c of [Class.compute, Class.send, Class.receive, Class.collective, Class.checkpoint]) {
            const width = (sums[c] / run.end) * (gutter - 12);
            context.fillStyle = this.theme.classes[c];
            context.fillRect(x, y, width, height);
            x += width;
        }
        context.globalAlpha = 1;
    }

    private paintAxis(width: number, height: number): void {
        const { context, geometry } = this;
        context.fillStyle = this.theme.background;
        context.fillRect(0, 0, width, axis - 1);
        const step = niceStep((this.view.length / geometry.width) * 110);
        context.font = "11px system-ui, sans-serif";
        context.textBaseline = "middle";
        for (let at = Math.ceil(this.view.from / step) * step; at <= this.view.to; at += step) {
            const x = geometry.x(at);
            context.fillStyle = this.theme.line;
            context.globalAlpha = 0.6;
            context.fillRect(x, axis - 5, 1, 5);
            context.globalAlpha = 1;
            context.fillStyle = this.theme.faint;
            const text = tick(at, step);
            const half = context.measureText(text).width / 2;
            if (x + half < width && x - half > 0) context.fillText(text, x - half, axis / 2 - 1);
        }
        context.fillStyle = this.theme.line;
        context.fillRect(0, axis - 1, width, 1);
        context.fillRect(gutter - 1, 0, 1, height);
        const end = geometry.x(this.view.end);
        if (end > gutter && end < width) context.fillRect(end, axis, 1, height);
    }
}

function niceStep(least: number): number {
    const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
    return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= least) ?? 10 * power;
}
