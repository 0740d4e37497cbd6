// Draws the timeline onto its canvas: rows, spans, messages, the critical path and the replay's cursor.
import { Class, hatch, inkOn, theme, type Theme } from "./colors";
import { labelOf, type Run } from "./data";
import { tick } from "./format";
import { classOf, spentUntil, upper, type Lane, type Layout, type RankRow } from "./lanes";
import { Raster } from "./raster";
import type { View } from "./view";

export const gutter = 132; // names of ranks, in pixels
export const axis = 26; // the ticks, in pixels
const gap = 4; // between ranks
const heading = 24; // above each of several runs
const mostRectangles = 2500;
const mostMessages = 1500;

export interface Marks {
    hovered: number; // spans of `run`; -1: none
    selected: number;
    run: number;
    found: Set<number> | null; // labels, of each run's table; null: nothing is searched for
    foundIn: Set<number>[]; // for each run
    messages: boolean;
    path: boolean;
}

export interface Place {
    row: RankRow;
    top: number; // in pixels from the top of all rows
}

// Where each rank lies, for the present height of lanes.
export function placesOf(layout: Layout, view: View, runs: number): { places: Place[]; height: number } {
    const places: Place[] = [];
    let top = gap;
    layout.ranks.forEach((row, i) => {
        if (runs > 1 && (i === 0 || layout.ranks[i - 1].run !== row.run)) top += heading;
        places.push({ row, top });
        top += row.lanes.length * view.height + (view.height > 6 ? gap : 1);
    });
    return { places, height: top + gap };
}

export class Painter {
    theme: Theme = theme();
    private waiting!: CanvasPattern;
    rectangles = 0; // of the last picture
    rasters = 0;

    constructor(
        private readonly canvas: HTMLCanvasElement,
        private readonly runs: Run[],
        private readonly layout: Layout,
        private readonly view: View,
        private readonly marks: Marks,
    ) {
        this.recolor();
    }

    recolor(): void {
        this.theme = theme();
        this.waiting = hatch(this.canvas.getContext("2d")!, this.theme.waiting, this.theme.classes[Class.waiting]);
    }

    get width(): number {
        return this.canvas.clientWidth - gutter;
    }
    x(time: number): number {
        return gutter + ((time - this.view.from) / this.view.length) * this.width;
    }
    time(x: number): number {
        return this.view.from + ((x - gutter) / this.width) * this.view.length;
    }

    paint(): void {
        const ratio = window.devicePixelRatio || 1;
        const { clientWidth, clientHeight } = this.canvas;
        if (this.canvas.width !== Math.round(clientWidth * ratio) || this.canvas.height !== Math.round(clientHeight * ratio)) {
            this.canvas.width = Math.round(clientWidth * ratio);
            this.canvas.height = Math.round(clientHeight * ratio);
        }
        const context = this.canvas.getContext("2d")!;
        context.setTransform(1, 0, 0, 1, 0, 0);
        context.fillStyle = this.theme.background;
        context.fillRect(0, 0, this.canvas.width, this.canvas.height);
        const seen = this.seen(clientHeight);
        this.paintSpans(context, seen, ratio);
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        if (this.marks.messages) this.paintMessages(context);
        if (this.marks.path) this.paintPath(context);
        this.paintSelection(context);
        if (this.view.cursor >= 0) this.paintReplay(context, clientHeight);
        this.paintNames(context, seen, clientHeight);
        this.paintAxis(context, clientWidth, clientHeight);
    }

    private seen(height: number): Place[] {
        return placesOf(this.layout, this.view, this.runs.length).places.filter(({ row, top }) => {
            const y = top - this.view.scroll + axis;
            return y < height && y + row.lanes.length * this.view.height > axis;
        });
    }

    private paintSpans(context: CanvasRenderingContext2D, seen: Place[], ratio: number): void {
        const raster = new Raster(Math.max(1, Math.round(this.width * ratio)), this.canvas.height, this.theme);
        const sparse: { lane: Lane; y: number; first: number; last: number }[] = [];
        let left = mostRectangles;
        this.rasters = 0;
        for (const { row, top } of seen) {
            row.lanes.forEach((lane, i) => {
                const y = top + i * this.view.height - this.view.scroll + axis;
                if (y + this.view.height <= axis || y >= this.canvas.clientHeight) return;
                const first = Math.max(0, upper(lane.begin, this.view.from) - 1);
                const last = upper(lane.begin, this.view.to, first);
                if (last - first <= Math.min(left, this.width / 3)) {
                    left -= last - first;
                    sparse.push({ lane, y, first, last });
                    return;
                }
                ++this.rasters;
                const height = Math.max(1, Math.round((this.view.height - this.inset) * ratio));
                raster.row(this.runs[lane.run], lane, Math.round(y * ratio), height, this.view.from, this.view.length / raster.width);
            });
        }
        raster.put(context, Math.round(gutter * ratio));
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        this.rectangles = mostRectangles - left;
        for (const { lane, y, first, last } of sparse) this.paintLane(context, lane, y, first, last);
        this.paintLogs(context, seen);
    }

    private get inset(): number {
        return this.view.height > 6 ? 2 : this.view.height > 3 ? 1 : 0;
    }

    private paintLane(context: CanvasRenderingContext2D, lane: Lane, y: number, first: number, last: number): void {
        const run = this.runs[lane.run];
        const height = this.view.height - this.inset;
        context.font = `${Math.min(12, height - 3)}px system-ui, sans-serif`;
        context.textBaseline = "middle";
        for (let i = first; i < last; ++i) {
            const span = lane.spans[i];
            const from = Math.max(gutter, this.x(run.begin[span]));
            const to = Math.min(gutter + this.width, this.x(run.begin[span] + run.length[span]));
            if (to < gutter || from > gutter + this.width) continue;
            const width = Math.max(1, to - from - (to - from > 4 ? 0.5 : 0));
            const color = this.theme.classes[classOf(run.kind[span])];
            const dim = this.marks.found !== null && !this.marks.foundIn[lane.run].has(run.label[span]);
            context.globalAlpha = dim ? 0.15 : 1;
            context.fillStyle = color;
            context.fillRect(from, y, width, height);
            const worksFrom = Math.max(from, Math.min(to, this.x(run.begin[span] + run.idle[span])));
            if (run.idle[span] > 0 && worksFrom - from >= 1) {
                context.fillStyle = this.waiting;
                context.fillRect(from, y, worksFrom - from, height);
                context.fillStyle = color;
                context.fillRect(from, y + height - 2, worksFrom - from, 2);
            }
            this.paintLabel(context, run, span, worksFrom, to, y + height / 2, inkOn(color));
        }
        context.globalAlpha = 1;
    }

    private paintLabel(context: CanvasRenderingContext2D, run: Run, span: number, from: number, to: number, y: number, ink: string): void {
        const room = to - from - 8;
        if (room < 22 || this.view.height < 11) return;
        const fits = Math.floor(room / 5.5);
        const label = labelOf(run, span).slice(0, 200);
        context.fillStyle = ink;
        context.fillText(label.length <= fits ? label : `${label.slice(0, Math.max(1, fits - 1))}\u2026`, from + 4, y + 0.5, room);
    }

    private paintLogs(context: CanvasRenderingContext2D, seen: Place[]): void {
        context.fillStyle = this.theme.path;
        for (const { row, top } of seen) {
            const y = top - this.view.scroll + axis;
            let last = -10;
            for (const span of row.logs) {
                const x = this.x(this.runs[row.run].begin[span]);
                if (x < gutter || x > gutter + this.width || x - last < 2) continue;
                last = x;
                context.beginPath();
                context.moveTo(x - 3, y - 3);
                context.lineTo(x + 3, y - 3);
                context.lineTo(x, y + 2);
                context.fill();
            }
        }
    }

    // The middle of the lane of a span, and where it leaves or arrives.
    private ys: Map<string, number> | null = null;
    private yOf(run: number, span: number): number {
        if (this.ys === null) return 0;
        const r = this.runs[run];
        return this.ys.get(`${run} ${r.rank[span]}`) ?? 0;
    }
    private lanesAt(): void {
        this.ys = new Map();
        for (const { row, top } of placesOf(this.layout, this.view, this.runs.length).places) {
            this.ys.set(`${row.run} ${row.rank}`, top - this.view.scroll + axis + this.view.height / 2);
        }
    }

    departure(run: Run, send: number): number {
        return run.begin[send] + run.idle[send];
    }
    arrival(run: Run, receive: number): number {
        return run.begin[receive] + run.length[receive];
    }

    private paintMessages(context: CanvasRenderingContext2D): void {
        this.lanesAt();
        const wanted: [number, number][] = [];
        for (const row of this.layout.ranks) {
            const run = this.runs[row.run];
            for (const lane of row.lanes) {
                const first = Math.max(0, upper(lane.begin, this.view.from) - 1);
                const last = upper(lane.begin, this.view.to, first);
                if (last - first > mostMessages) return;
                for (let i = first; i < last; ++i) {
                    const span = lane.spans[i];
                    if (run.partner[span] >= 0 && classOf(run.kind[span]) === Class.receive) wanted.push([row.run, span]);
                }
                if (wanted.length > mostMessages) return;
            }
        }
        context.lineWidth = 1;
        context.strokeStyle = this.theme.text;
        context.fillStyle = this.theme.text;
        context.globalAlpha = wanted.length > 300 ? 0.25 : 0.55;
        for (const [run, receive] of wanted) this.arrow(context, run, receive);
        context.globalAlpha = 1;
    }

    private arrow(context: CanvasRenderingContext2D, index: number, receive: number): void {
        const run = this.runs[index];
        const send = run.partner[receive];
        const [x1, y1, x2, y2] = [
            this.x(this.departure(run, send)), this.yOf(index, send), this.x(this.arrival(run, receive)), this.yOf(index, receive),
        ];
        if (Math.max(x1, x2) < gutter || Math.min(x1, x2) > gutter + this.width) return;
        context.save();
        context.beginPath();
        context.rect(gutter, axis, this.width, this.canvas.clientHeight);
        context.clip();
        context.beginPath();
        context.moveTo(x1, y1);
        const bend = Math.min(40, Math.abs(x2 - x1) / 2);
        context.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
        context.stroke();
        context.beginPath();
        const tip = y2 > y1 ? -5 : 5;
        context.moveTo(x2, y2);
        context.lineTo(x2 - 3, y2 + tip);
        context.lineTo(x2 + 3, y2 + tip);
        context.fill();
        context.restore();
    }

    private paintPath(context: CanvasRenderingContext2D): void {
        this.lanesAt();
        context.save();
        context.beginPath();
        context.rect(gutter, axis, this.width, this.canvas.clientHeight);
        context.clip();
        context.strokeStyle = this.theme.path;
        context.lineWidth = Math.max(2, Math.min(3, this.view.height / 5));
        context.lineJoin = "round";
        this.runs.forEach((run, index) => {
            const begins = run.columns.get("path.begin");
            if (!begins) return;
            const [lengths, ranks, tos] = ["length", "rank", "to"].map((name) => run.columns.get(`path.${name}`)!);
            context.beginPath();
            let lastX = -1;
            for (let i = Math.max(0, upper(begins, this.view.from) - 2); i < begins.length; ++i) {
                const x1 = this.x(begins[i]);
                const x2 = this.x(begins[i] + lengths[i]);
                const y1 = (this.ys!.get(`${index} ${ranks[i]}`) ?? 0) + this.view.height / 3;
                const y2 = tos[i] < 0 ? y1 : (this.ys!.get(`${index} ${tos[i]}`) ?? 0) + this.view.height / 3;
                if (lastX < 0) context.moveTo(x1, y1);
                // Of several pieces within a pixel the line would only be thicker.
                if (x2 - lastX < 0.2 && y1 === y2) continue;
                context.lineTo(x1, y1);
                context.lineTo(x2, y2);
                lastX = x2;
                if (x1 > gutter + this.width) break;
            }
            context.stroke();
        });
        context.restore();
    }

    private paintSelection(context: CanvasRenderingContext2D): void {
        for (const [span, width] of [[this.marks.hovered, 1], [this.marks.selected, 2]]) {
            if (span < 0) continue;
            const lane = this.laneOf(this.marks.run, span);
            if (!lane) continue;
            const run = this.runs[this.marks.run];
            const from = Math.max(gutter, this.x(run.begin[span]));
            const to = Math.min(gutter + this.width, this.x(run.begin[span] + run.length[span]));
            context.strokeStyle = this.theme.mark;
            context.lineWidth = width;
            if (to >= from) context.strokeRect(from, lane.y, Math.max(2, to - from), this.view.height - this.inset);
            if (run.partner[span] >= 0) {
                this.lanesAt();
                context.strokeStyle = context.fillStyle = this.theme.mark;
                context.lineWidth = 1.5;
                this.arrow(context, this.marks.run, classOf(run.kind[span]) === Class.receive ? span : run.partner[span]);
            }
        }
    }

    private laneOf(index: number, span: number): { lane: Lane; y: number } | null {
        const run = this.runs[index];
        for (const { row, top } of placesOf(this.layout, this.view, this.runs.length).places) {
            if (row.run !== index || row.rank !== run.rank[span]) continue;
            for (let i = 0; i < row.lanes.length; ++i) {
                const lane = row.lanes[i];
                for (let at = upper(lane.begin, run.begin[span]) - 1; at >= 0 && lane.begin[at] === run.begin[span]; --at) {
                    if (lane.spans[at] === span) return { lane, y: top + i * this.view.height - this.view.scroll + axis };
                }
            }
        }
        return null;
    }

    // What has not happened yet is veiled; messages under way are dots between their rows.
    private paintReplay(context: CanvasRenderingContext2D, height: number): void {
        const x = Math.max(gutter, this.x(this.view.cursor));
        context.fillStyle = this.theme.veil;
        context.fillRect(x, axis, gutter + this.width - x, height);
        this.lanesAt();
        this.runs.forEach((run, index) => {
            for (const receive of this.underWay(run)) {
                const send = run.partner[receive];
                const from = this.departure(run, send);
                const share = (this.view.cursor - from) / Math.max(1, this.arrival(run, receive) - from);
                const y = this.yOf(index, send) + share * (this.yOf(index, receive) - this.yOf(index, send));
                context.fillStyle = this.theme.classes[Class.send];
                context.strokeStyle = this.theme.background;
                context.lineWidth = 1.5;
                context.beginPath();
                context.arc(x, y, 5, 0, 7);
                context.fill();
                context.stroke();
            }
        });
        context.strokeStyle = this.theme.mark;
        context.lineWidth = 1.5;
        context.beginPath();
        context.moveTo(x, axis - 6);
        context.lineTo(x, height);
        context.stroke();
    }

    // Receives whose messages travel at the cursor's time, a thousand of them at most.
    underWay(run: Run): number[] {
        const travelling: number[] = [];
        for (const row of this.layout.ranks) {
            if (this.runs[row.run] !== run) continue;
            for (const lane of row.lanes) {
                const at = upper(lane.begin, this.view.cursor) - 1;
                const span = at < 0 ? -1 : lane.spans[at];
                if (span < 0 || run.partner[span] < 0 || classOf(run.kind[span]) !== Class.receive) continue;
                const from = this.departure(run, run.partner[span]);
                if (from <= this.view.cursor && this.view.cursor < this.arrival(run, span)) travelling.push(span);
                if (travelling.length === 1000) return travelling;
            }
        }
        return travelling;
    }

    private paintNames(context: CanvasRenderingContext2D, seen: Place[], height: number): void {
        context.fillStyle = this.theme.background;
        context.fillRect(0, 0, gutter - 1, height);
        context.textBaseline = "middle";
        let free = 0;
        for (const { row, top } of seen) {
            const y = top - this.view.scroll + axis;
            const run = this.runs[row.run];
            const first = row.rank === 0 && this.runs.length > 1;
            if (first && y > axis) {
                context.font = "600 12px system-ui, sans-serif";
                context.fillStyle = this.theme.text;
                context.fillText(run.header.title.slice(0, 200), 8, y - heading / 2, gutter + this.width - 16);
            }
            if (this.view.cursor >= 0) this.paintFill(context, row, y);
            row.lanes.forEach((lane, i) => {
                const middle = y + (i + 0.5) * this.view.height;
                const text = i === 0 ? run.header.rank_names[row.rank] : lane.name === row.lanes[i - 1].name ? "" : lane.name;
                if (text === "" || middle < free || middle < axis) return;
                context.font = i === 0 ? "12px system-ui, sans-serif" : "10px system-ui, sans-serif";
                context.fillStyle = i === 0 ? this.theme.text : this.theme.faint;
                context.fillText(text.slice(0, 100), i === 0 ? 8 : 18, middle, gutter - 20);
                free = middle + 13;
            });
        }
    }

    // How much of its time a rank has spent so far, and with what.
    private paintFill(context: CanvasRenderingContext2D, row: RankRow, y: number): void {
        const run = this.runs[row.run];
        const sums = new Float64Array(5);
        let x = 0;
        for (const lane of row.lanes.slice(0, 1)) {
            spentUntil(run, lane, this.view.cursor, upper(lane.begin, this.view.cursor), sums);
            const height = Math.max(2, Math.min(4, row.lanes.length * this.view.height - 3));
            const bottom = y + Math.max(height, row.lanes.length * this.view.height - 1) - height;
            const room = gutter - 14;
            for (const c of [Class.compute, Class.send, Class.receive, Class.collective]) {
                const width = (sums[c] / run.end) * room;
                context.fillStyle = this.theme.classes[c];
                context.fillRect(8 + x, bottom, width, height);
                x += width;
            }
        }
    }

    private paintAxis(context: CanvasRenderingContext2D, width: number, height: number): void {
        context.fillStyle = this.theme.background;
        context.fillRect(0, 0, width, axis - 1);
        const step = niceStep((this.view.length / Math.max(1, this.width)) * 110);
        context.font = "11px system-ui, sans-serif";
        context.textBaseline = "middle";
        for (let at = Math.ceil(this.view.from / step) * step; at <= this.view.to; at += step) {
            const x = this.x(at);
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
        const end = this.x(this.view.end);
        if (end > gutter && end < width) context.fillRect(end, axis, 1, height);
    }
}

function niceStep(least: number): number {
    const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
    return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= least) ?? 10 * power;
}
