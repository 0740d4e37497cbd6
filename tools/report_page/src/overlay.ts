// The layer above the spans: messages, the critical path, the selected span, and the replay.
import { Class, type Theme } from "./colors";
import type { Run } from "./data";
import { time } from "./format";
import { axis, gutter, type Geometry } from "./geometry";
import { classOf, upper, type Layout } from "./lanes";
import type { Marks } from "./marks";

const mostMessages = 1500; // per picture
const mostUnderWay = 1000;

export class Overlay {
    constructor(
        private readonly context: CanvasRenderingContext2D,
        private readonly runs: Run[],
        private readonly layout: Layout,
        private readonly geometry: Geometry,
        private readonly marks: Marks,
        private readonly theme: Theme,
    ) {}

    paint(): void {
        const { context, geometry } = this;
        context.save();
        context.beginPath();
        context.rect(gutter, axis, geometry.width, geometry.canvas.clientHeight);
        context.clip();
        if (this.marks.messages) this.paintMessages();
        if (this.marks.path) this.runs.forEach((run, index) => this.paintPath(run, index));
        this.outline(this.marks.hovered, 1);
        this.outline(this.marks.selected, 2);
        if (this.marks.measured !== null) this.paintMeasured(this.marks.measured);
        if (geometry.view.cursor >= 0) this.paintReplay();
        context.restore();
    }

    private paintMeasured({ from, to }: { from: number; to: number }): void {
        const { context, geometry } = this;
        const [x1, x2] = [geometry.x(from), geometry.x(to)];
        const height = geometry.canvas.clientHeight;
        context.fillStyle = this.theme.path;
        context.globalAlpha = 0.14;
        context.fillRect(x1, axis, x2 - x1, height);
        context.globalAlpha = 1;
        for (const x of [x1, x2]) context.fillRect(x - 0.5, axis, 1, height);
        context.font = "600 11px system-ui, sans-serif";
        context.textBaseline = "bottom";
        const text = time(to - from);
        const width = context.measureText(text).width + 8;
        const left = Math.max(gutter, Math.min((x1 + x2 - width) / 2, gutter + geometry.width - width));
        context.fillRect(left, height - 18, width, 18);
        context.fillStyle = this.theme.background;
        context.fillText(text, left + 4, height - 3);
    }

    private paintMessages(): void {
        const { context, geometry } = this;
        const wanted: [number, number][] = [];
        for (const row of this.layout.ranks) {
            const run = this.runs[row.run];
            for (const lane of row.lanes) {
                const first = Math.max(0, upper(lane.begin, geometry.view.from) - 1);
                const last = upper(lane.begin, geometry.view.to, first);
                if (last - first > mostMessages) return;
                for (let i = first; i < last; ++i) {
                    const span = lane.spans[i];
                    if (run.partner[span] >= 0 && classOf(run.kind[span]) === Class.receive) wanted.push([row.run, span]);
                }
                if (wanted.length > mostMessages) return;
            }
        }
        context.lineWidth = 1;
        context.strokeStyle = context.fillStyle = this.theme.text;
        context.globalAlpha = wanted.length > 300 ? 0.25 : 0.6;
        for (const [index, receive] of wanted) {
            // With many messages, arrows no longer than their heads are omitted, because they would hide the spans.
            const run = this.runs[index];
            const width = geometry.x(arrival(run, receive)) - geometry.x(departure(run, run.partner[receive]));
            if (wanted.length < 200 || width > 6) this.arrow(index, receive);
        }
        context.globalAlpha = 1;
    }

    private arrow(index: number, receive: number): void {
        const { context, geometry } = this;
        const run = this.runs[index];
        const send = run.partner[receive];
        const [x1, x2] = [geometry.x(departure(run, send)), geometry.x(arrival(run, receive))];
        const down = geometry.middle(index, receive) > geometry.middle(index, send);
        const [y1, y2] = [geometry.edge(index, send, down), geometry.edge(index, receive, !down)];
        if (Math.max(x1, x2) < gutter || Math.min(x1, x2) > gutter + geometry.width) return;
        const bend = (y2 - y1) / 2;
        const tip = down ? -6 : 6;
        context.beginPath();
        context.moveTo(x1, y1);
        context.bezierCurveTo(x1, y1 + bend, x2, y2 - bend, x2, y2);
        context.stroke();
        context.beginPath();
        context.moveTo(x2, y2);
        context.lineTo(x2 - 3, y2 + tip);
        context.lineTo(x2 + 3, y2 + tip);
        context.fill();
    }

    private paintPath(run: Run, index: number): void {
        const { context, geometry } = this;
        const column = (name: string) => run.columns.get(`path.${name}`)!;
        const [begins, lengths, ranks, tos] = ["begin", "length", "rank", "to"].map(column);
        const under = geometry.view.height - geometry.inset - 1;
        const y = (rank: number) => geometry.placeOf(index, rank).y + under;
        context.lineJoin = "bevel";
        context.beginPath();
        let last = -Infinity;
        let corners = 0;
        for (let i = Math.max(0, upper(begins, geometry.view.from) - 2); i < begins.length && begins[i] < geometry.view.to; ++i) {
            const [x1, x2] = [geometry.x(begins[i]), geometry.x(begins[i] + lengths[i])];
            // Several pieces within one pixel would only make the line thicker.
            if (x2 - last < 1) continue;
            if (last === -Infinity) context.moveTo(x1, y(ranks[i]));
            context.lineTo(x1, y(ranks[i]));
            context.lineTo(x2, y(tos[i] < 0 ? ranks[i] : tos[i]));
            last = x2;
            ++corners;
        }
        // Outlined in the paper's colour, to be visible on every span; thin and without outline where it fills the
        // picture.
        const dense = corners > 200;
        const width = dense ? 1 : Math.max(1.5, Math.min(2, geometry.view.height / 6));
        context.globalAlpha = dense ? 0.5 : 1;
        for (const [color, wide] of [[this.theme.background, width + 2.5], [this.theme.path, width]] as const) {
            if (dense && wide !== width) continue;
            context.strokeStyle = color;
            context.lineWidth = wide;
            context.stroke();
        }
        context.globalAlpha = 1;
    }

    private outline(span: number, width: number): void {
        if (span < 0) return;
        const { context, geometry } = this;
        const index = this.marks.run;
        const run = this.runs[index];
        const from = Math.max(gutter - 2, geometry.x(run.begin[span]));
        const to = Math.min(gutter + geometry.width + 2, geometry.x(run.begin[span] + run.length[span]));
        context.strokeStyle = context.fillStyle = this.theme.mark;
        context.lineWidth = width;
        if (to >= from) context.strokeRect(from, geometry.top(index, span), Math.max(2, to - from), geometry.view.height - geometry.inset);
        context.lineWidth = 1.5;
        if (run.partner[span] >= 0) this.arrow(index, classOf(run.kind[span]) === Class.receive ? span : run.partner[span]);
    }

    // The future is veiled; messages in flight are dots between their rows.
    private paintReplay(): void {
        const { context, geometry } = this;
        const { cursor } = geometry.view;
        const height = geometry.canvas.clientHeight;
        const x = Math.max(gutter, geometry.x(cursor));
        context.fillStyle = this.theme.veil;
        context.fillRect(x, axis, gutter + geometry.width - x, height);
        context.strokeStyle = this.theme.mark;
        context.lineWidth = 1.5;
        context.beginPath();
        context.moveTo(x, axis);
        context.lineTo(x, height);
        context.stroke();
        this.runs.forEach((run, index) => {
            for (const receive of underWay(run, index, this.layout, cursor)) this.dot(run, index, receive, x);
        });
    }
    private dot(run: Run, index: number, receive: number, x: number): void {
        const { context, geometry } = this;
        const send = run.partner[receive];
        const from = departure(run, send);
        const share = (geometry.view.cursor - from) / Math.max(1, arrival(run, receive) - from);
        const [y1, y2] = [geometry.middle(index, send), geometry.middle(index, receive)];
        context.fillStyle = this.theme.classes[Class.send];
        context.strokeStyle = this.theme.mark;
        context.beginPath();
        context.arc(x, y1 + share * (y2 - y1), 5, 0, 7);
        context.fill();
        context.stroke();
    }
}

function departure(run: Run, send: number): number {
    return run.begin[send] + run.idle[send];
}
function arrival(run: Run, receive: number): number {
    return run.begin[receive] + run.length[receive];
}

// Receives whose messages are in flight at `time`; at most one per lane, the one that it waits for.
export function underWay(run: Run, index: number, layout: Layout, time: number): number[] {
    const travelling: number[] = [];
    for (const row of layout.ranks) {
        if (row.run !== index) continue;
        for (const lane of row.lanes) {
            const at = upper(lane.begin, time) - 1;
            const span = at < 0 ? -1 : lane.spans[at];
            if (span < 0 || run.partner[span] < 0) continue;
            const receive = classOf(run.kind[span]) === Class.receive ? span : run.partner[span];
            const travels = departure(run, run.partner[receive]) <= time && time < arrival(run, receive);
            if (travels && !travelling.includes(receive)) travelling.push(receive);
            if (travelling.length === mostUnderWay) return travelling;
        }
    }
    return travelling;
}
