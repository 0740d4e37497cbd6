// The critical path: the time of each item on it. Shortening anything else does not shorten the run.
import { Kind, type Run } from "./data";
import { element, section } from "./dom";
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
        "Shortening anything else does not shorten the run. Slack is how much later a computation could end without making the run longer.");
    const rows = [...sums.values()].sort((a, b) => b.length - a.length);
    const sumsTable = table(`path-sums-${index}`, "On the critical path", [{ title: "label", words: true }, { title: "kind", words: true }, { title: "times" }, { title: "time" }, { title: "of the run" }],
        rows.map((sum) => [
            { text: sum.label || "\u2013", value: sum.label }, { text: sum.kind }, { text: whole(sum.times), value: sum.times },
            { text: time(sum.length), value: sum.length, exact: exact(sum.length) }, { text: percent(sum.length, run.end), value: sum.length },
        ]));
    made.append(element("div", { class: "beside" }, sumsTable, rankTable(run, index, tos, lengths)));
    return made;
}

function rankTable(run: Run, index: number, tos: Float64Array, lengths: Float64Array): HTMLElement {
    const { rank_names } = run.header;
    const on = new Float64Array(rank_names.length);
    run.columns.get("path.rank")!.forEach((rank, i) => (on[rank] += tos[i] < 0 ? lengths[i] : 0));
    const least = new Float64Array(rank_names.length).fill(Infinity);
    const most = new Float64Array(rank_names.length).fill(-1);
    for (let span = 0; span < run.size; ++span) {
        if (run.kind[span] !== Kind.compute || run.slack[span] < 0) continue;
        least[run.rank[span]] = Math.min(least[run.rank[span]], run.slack[span]);
        most[run.rank[span]] = Math.max(most[run.rank[span]], run.slack[span]);
    }
    const cell = (value: number) => (value < 0 || value === Infinity ? { text: "\u2013", value: -1 } : { text: time(value), value, exact: exact(value) });
    return table(`slack-${index}`, "By rank", [{ title: "rank", words: true }, { title: "its work on the path" }, { title: "least slack" }, { title: "most slack" }],
        rank_names.map((name, rank) => [{ text: name, value: rank }, cell(on[rank]), cell(least[rank]), cell(most[rank])]));
}
