// The critical path: what on it takes how long. Shortening anything else does not shorten the run.
import type { Run } from "./data";
import { section } from "./dom";
import { exact, percent, time, whole } from "./format";
import { table } from "./table";

export function pathSection(run: Run, index: number): HTMLElement | null {
    const labels = run.columns.get("path.label")!;
    if (labels.length === 0) return null;
    const kinds = run.columns.get("path.kind")!;
    const lengths = run.columns.get("path.length")!;
    const tos = run.columns.get("path.to")!;
    const sums = new Map<string, { label: string; kind: string; times: number; length: number }>();
    let all = 0;
    labels.forEach((label, i) => {
        const kind = tos[i] >= 0 ? "message" : run.header.kinds[kinds[i]];
        const key = `${kind} ${label}`;
        const sum = sums.get(key) ?? { label: run.header.labels[label], kind, times: 0, length: 0 };
        ++sum.times;
        sum.length += lengths[i];
        all += lengths[i];
        sums.set(key, sum);
    });
    const made = section(`path-${index}`, "Critical path", `The chain of work and messages that decides when the run ends: ${whole(labels.length)} pieces, ${time(all)}. ` +
        "Shortening anything else does not shorten the run. A rank's slack, in the table by rank, is how much longer any one of its computations could take without making the run longer.");
    const rows = [...sums.values()].sort((a, b) => b.length - a.length);
    made.append(table(`path-sums-${index}`, "On the critical path", [{ title: "label", words: true }, { title: "kind", words: true }, { title: "times" }, { title: "time" }, { title: "of the run" }],
        rows.map((sum) => [
            { text: sum.label || "\u2013", value: sum.label }, { text: sum.kind }, { text: whole(sum.times), value: sum.times },
            { text: time(sum.length), value: sum.length, exact: exact(sum.length) }, { text: percent(sum.length, run.end), value: sum.length },
        ])));
    return made;
}
