// Memory over time, below the timeline and on its axis: what each rank's program holds.
import { Kind, type Run } from "./data";
import { element } from "./dom";
import { measured, time } from "./format";
import { gutter } from "./geometry";
import { upper } from "./lanes";
import type { Timeline } from "./timeline";

const height = 96; // of a run's strip in pixels
const mostColors = 8; // more ranks share one colour
const mostCurves = 512;
const mostNamed = 8;

interface Curve {
    rank: number;
    at: Float64Array;
    held: Float64Array; // from that time on
    peak: number;
}

// The curves of the ranks that allocate, the fullest ranks first if there are too many.
function curvesOf(run: Run): { curves: Curve[]; measure: number } {
    const changes = new Map<number, number[]>();
    let measure = 0;
    for (let span = 0; span < run.size; ++span) {
        if (run.kind[span] !== Kind.allocate) continue;
        measure = run.measure[span];
        if (!changes.has(run.rank[span])) changes.set(run.rank[span], []);
        changes.get(run.rank[span])!.push(span);
    }
    const curves = [...changes].map(([rank, spans]) => {
        spans.sort((a, b) => run.begin[a] - run.begin[b]);
        const held = Float64Array.from(spans, (span) => run.amount[span]);
        return { rank, at: Float64Array.from(spans, (span) => run.begin[span]), held, peak: held.reduce((a, b) => Math.max(a, b), 0) };
    });
    if (curves.length > mostCurves) curves.sort((a, b) => b.peak - a.peak).length = mostCurves;
    return { curves, measure };
}

function heldAt({ at, held }: Curve, moment: number): number {
    const next = upper(at, moment);
    return next === 0 ? 0 : held[next - 1];
}

class Strip {
    readonly canvas = element("canvas", { class: "memory", role: "img" });
    readonly now = element("p", { class: "faint now", "data-test": "memory-now" });
    private pointed = -1; // time under the pointer

    constructor(private readonly run: Run, private readonly curves: Curve[], private readonly measure: number, private readonly top: number, private readonly timeline: Timeline) {
        this.canvas.setAttribute("aria-label", `Memory over time. ${this.words(-1)}`);
        this.canvas.addEventListener("pointermove", ({ offsetX }) => this.point(offsetX < gutter ? -1 : timeline.geometry.time(offsetX)));
        this.canvas.addEventListener("pointerleave", () => this.point(-1));
    }

    private point(moment: number): void {
        this.pointed = moment;
        this.paint();
    }

    private colorOf(index: number): string {
        const { series, faint } = this.timeline.painter.theme;
        return this.curves.length > mostColors ? faint : series[index];
    }

    // What each rank holds at a time; negative: at its peak.
    private words(moment: number): string {
        const named = this.curves.slice(0, mostNamed).map((curve) =>
            `${this.run.header.rank_names[curve.rank].slice(0, 60)} ${measured(moment < 0 ? curve.peak : heldAt(curve, moment), this.measure)}`);
        const rest = this.curves.length - named.length;
        return `${moment < 0 ? "At most" : `At ${time(moment)}`}: ${named.join(", ")}${rest > 0 ? `, and ${rest} more` : ""}.`;
    }

    paint(): void {
        const { canvas, timeline } = this;
        const ratio = window.devicePixelRatio || 1;
        const width = canvas.clientWidth;
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
        const context = canvas.getContext("2d")!;
        const { background, text, faint, line, mark } = timeline.painter.theme;
        context.scale(ratio, ratio);
        context.fillStyle = background;
        context.fillRect(0, 0, width, height);
        context.fillStyle = line;
        context.fillRect(gutter - 1, 0, 1, height);
        context.fillRect(gutter, this.y(this.top), width - gutter, 1);
        context.textBaseline = "middle";
        context.font = "12px system-ui, sans-serif";
        context.fillStyle = text;
        context.fillText("Memory", 8, height / 2);
        context.font = "10px system-ui, sans-serif";
        context.fillStyle = faint;
        context.textAlign = "right";
        context.fillText(measured(this.top, this.measure), gutter - 6, this.y(this.top));
        context.fillText("0", gutter - 6, this.y(0) - 4);
        const moment = this.pointed >= 0 ? this.pointed : timeline.view.cursor;
        this.now.textContent = this.words(moment);
        context.beginPath();
        context.rect(gutter, 0, width - gutter, height);
        context.clip();
        context.lineWidth = this.curves.length > mostColors ? 1 : 1.6;
        this.curves.forEach((curve, i) => this.paintCurve(context, curve, this.colorOf(i)));
        context.fillStyle = mark;
        if (moment >= 0) context.fillRect(timeline.geometry.x(moment), 0, 1, height);
    }

    private y(held: number): number {
        return height - 6 - (held / this.top) * (height - 18);
    }

    // Steps from change to change; of several changes within a pixel the peak is drawn.
    private paintCurve(context: CanvasRenderingContext2D, curve: Curve, color: string): void {
        const { geometry, view } = this.timeline;
        context.strokeStyle = color;
        context.beginPath();
        let y = this.y(heldAt(curve, view.from));
        context.moveTo(gutter, y);
        const last = upper(curve.at, view.to);
        for (let next = upper(curve.at, view.from); next < last; ) {
            const x = geometry.x(curve.at[next]);
            let most = 0;
            let held = 0;
            for (; next < last && geometry.x(curve.at[next]) < x + 1; ++next) most = Math.max(most, (held = curve.held[next]));
            context.lineTo(x, y);
            context.lineTo(x, this.y(most));
            context.lineTo(x, (y = this.y(held)));
        }
        context.lineTo(geometry.x(Math.min(view.to, this.run.end)), y);
        context.stroke();
    }

    legend(): HTMLElement[] {
        if (this.curves.length > mostColors) return [];
        return this.curves.map(({ rank }, i) => {
            const swatch = element("span", { class: `swatch path series-${i}` });
            return element("span", { class: "swatched" }, swatch, this.run.header.rank_names[rank].slice(0, 60));
        });
    }
}

// The strips of all runs that allocate, on one scale; null: none does.
export function memoryOf(runs: Run[], timeline: Timeline): HTMLElement | null {
    const found = runs.map((run) => ({ run, ...curvesOf(run) })).filter(({ curves }) => curves.length > 0);
    if (found.length === 0) return null;
    const top = Math.max(1, ...found.flatMap(({ curves }) => curves.map(({ peak }) => peak)));
    const strips = found.map(({ run, curves, measure }) => new Strip(run, curves, measure, top, timeline));
    timeline.painted.push(() => strips.forEach((strip) => strip.paint()));
    const made = element("div", { "data-test": "memory" });
    strips.forEach((strip, i) => {
        const title = runs.length > 1 ? `${found[i].run.header.title}: memory of the ranks. ` : "Memory of the ranks. ";
        made.append(strip.canvas, element("p", { class: "legend" }, title.slice(0, 80), ...strip.legend()), strip.now);
    });
    return made;
}
