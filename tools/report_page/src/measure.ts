// The measured stretch of time: how long it is, and what the ranks do in it.
import { Class, classes } from "./colors";
import type { Run } from "./data";
import { percent, time } from "./format";
import { spentUntil, upper, type Layout } from "./lanes";

// "12.0 s from 4.0 s on: compute 40.1 %, send 3.0 %, …, waiting and idle 30.2 % of the ranks' programs"
export function measuredWords(runs: Run[], layout: Layout, from: number, to: number): string {
    const sums = new Float64Array(classes);
    const [before, after] = [new Float64Array(classes), new Float64Array(classes)];
    for (const { run, lanes } of layout.ranks) {
        const lane = lanes[0];
        spentUntil(runs[run], lane, from, upper(lane.begin, from), before);
        spentUntil(runs[run], lane, to, upper(lane.begin, to), after);
        for (let c = 0; c < classes; ++c) sums[c] += Math.max(0, after[c] - before[c]);
    }
    const all = (to - from) * layout.ranks.length;
    const works = (["compute", "send", "receive", "collective", "checkpoint"] as const).filter((name) => sums[Class[name]] > 0);
    const rest = all - works.reduce((sum, name) => sum + sums[Class[name]], 0);
    const shares = [...works.map((name) => `${name} ${percent(sums[Class[name]], all)}`), `waiting and idle ${percent(rest, all)}`];
    return `${time(to - from)} from ${time(from)} on: ${shares.join(", ")} of the ranks' programs.`;
}
