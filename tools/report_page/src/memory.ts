// Memory over time, as the program allocated it. With many ranks, only their maximum and minimum are drawn.
import uPlot from "../vendor/uPlot/uPlot.js";
import { theme } from "./colors";
import { Kind, type Run } from "./data";
import { element, section } from "./dom";
import { measured, tick, time } from "./format";
import { onTheme } from "./theme";
import { upper } from "./lanes";

const points = 1000;
const mostCurves = 8;
const curveColors = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#8c8c00", "#7f7f7f"];

// For each rank, the peak in each of `points` time intervals.
function curvesOf(run: Run): { curves: Map<number, Float64Array>; measure: number } {
    const changes = new Map<number, { at: number[]; held: number[] }>();
    let measure = 0;
    for (let span = 0; span < run.size; ++span) {
        if (run.kind[span] !== Kind.allocate) continue;
        measure = run.measure[span];
        if (!changes.has(run.rank[span])) changes.set(run.rank[span], { at: [], held: [] });
        const rank = changes.get(run.rank[span])!;
        rank.at.push(run.begin[span]);
        rank.held.push(run.amount[span]);
    }
    const curves = new Map<number, Float64Array>();
    for (const [rank, { at, held }] of changes) {
        const order = at.map((_, i) => i).sort((a, b) => at[a] - at[b]);
        const sorted = Float64Array.from(order, (i) => at[i]);
        const curve = new Float64Array(points + 1);
        let next = 0;
        let last = 0;
        for (let i = 0; i <= points; ++i) {
            const until = upper(sorted, (run.end * (i + 0.5)) / points, next);
            let most = last;
            for (; next < until; ++next) most = Math.max(most, (last = held[order[next]]));
            curve[i] = most;
        }
        curves.set(rank, curve);
    }
    return { curves, measure };
}

function extremes(curves: Map<number, Float64Array>): { names: string[]; data: Float64Array[] } {
    const most = new Float64Array(points + 1);
    const least = new Float64Array(points + 1).fill(Infinity);
    for (const curve of curves.values()) {
        curve.forEach((value, i) => {
            most[i] = Math.max(most[i], value);
            least[i] = Math.min(least[i], value);
        });
    }
    return { names: ["most of all ranks", "least of all ranks"], data: [most, least] };
}

export function memorySection(run: Run, index: number): HTMLElement | null {
    const { curves, measure } = curvesOf(run);
    if (curves.size === 0) return null;
    const made = section(`memory-${index}`, "Memory over time", "What each rank's program holds of its GPU's memory; of each moment the peak.");
    const few = curves.size <= mostCurves;
    const shown = few ? { names: [...curves.keys()].map((rank) => run.header.rank_names[rank].slice(0, 60)), data: [...curves.values()] } : extremes(curves);
    const xs = Float64Array.from({ length: points + 1 }, (_, i) => (run.end * i) / points);
    const place = element("div", { "data-test": `memory-plot-${index}` });
    const draw = () => {
        const { text, line } = theme();
        const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
        place.replaceChildren();
        new uPlot({
            width: Math.max(320, made.clientWidth || 900), height: 240, scales: { x: { time: false }, y: { range: (_u: unknown, _low: number, high: number) => [0, high * 1.08 || 1] } },
            series: [
                { label: "time", value: (_u: unknown, v: number | null) => (v === null ? "" : time(v)) },
                ...shown.names.map((label, i) => ({
                    label, stroke: curveColors[i], width: 1.6, points: { show: false }, paths: uPlot.paths.stepped!({ align: 1 }),
                    value: (_u: unknown, v: number | null) => (v === null ? "" : measured(v, measure)),
                })),
            ],
            axes: [
                { ...axis, values: (_u: unknown, at: number[]) => at.map((v) => tick(v, at.length > 1 ? at[1] - at[0] : v || 1)) },
                { ...axis, size: 84, values: (_u: unknown, at: number[]) => at.map((v) => measured(v, measure)) },
            ],
        } as uPlot.Options, [xs, ...shown.data], place);
    };
    made.append(place);
    if (!few) made.append(element("p", { class: "notice" }, `Of ${curves.size} ranks, the curves are the most and the least at each moment; the table by rank has every peak.`));
    requestAnimationFrame(draw);
    onTheme(draw);
    return made;
}
