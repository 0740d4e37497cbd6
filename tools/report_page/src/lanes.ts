// Lanes: the rows of the timeline. Each stream of a rank has one or more lanes, in which spans do not overlap.
//
// For each lane and class of time, `busy` holds the sum before each span, so that the share of any interval costs two
// look-ups, however many spans it contains.
import { Class, classes } from "./colors";
import { Kind, ownStream, type Run } from "./data";

const mostLanes = 8; // lanes per stream

export interface Lane {
    run: number;
    rank: number;
    name: string;
    spans: Int32Array;
    begin: Float64Array;
    busy: Float64Array[]; // by class
}

// The lanes of a rank, top to bottom.
export interface RankRow {
    run: number;
    rank: number;
    lanes: Lane[];
    logs: Int32Array;
    pinned: boolean; // stays at the top
    headings: string[]; // lines above it: the run, the group
}

export interface Layout {
    ranks: RankRow[];
    laneOf: Int8Array[]; // for each run, the lane of each span within its rank; -1: none
    overlapping: number; // spans that did not fit into any lane
}

export function classOf(kind: number): number {
    switch (kind) {
        case Kind.send: return Class.send;
        case Kind.receive: return Class.receive;
        case Kind.collective: return Class.collective;
        case Kind.checkpoint: return Class.checkpoint;
        default: return Class.compute;
    }
}

function laneOf(run: Run, index: number, rank: number, name: string, spans: number[]): Lane {
    const lane: Lane = {
        run: index, rank, name,
        spans: Int32Array.from(spans),
        begin: new Float64Array(spans.length),
        busy: Array.from({ length: classes }, () => new Float64Array(spans.length + 1)),
    };
    spans.forEach((span, i) => {
        lane.begin[i] = run.begin[span];
        for (let c = 0; c < classes; ++c) lane.busy[c][i + 1] = lane.busy[c][i];
        lane.busy[classOf(run.kind[span])][i + 1] += run.length[span] - run.idle[span];
        lane.busy[Class.waiting][i + 1] += run.idle[span];
    });
    return lane;
}

function streamName(run: Run, stream: number): string {
    return stream === 0 ? "" : stream === ownStream ? "asynchronous" : run.header.stream_names[stream - 1] ?? `stream ${stream}`;
}

export function layoutOf(runs: Run[]): Layout {
    const layout: Layout = { ranks: [], laneOf: runs.map((run) => new Int8Array(run.size).fill(-1)), overlapping: 0 };
    runs.forEach((run, index) => {
        const rows: RankRow[] = run.header.rank_names.map((_, rank) => ({ run: index, rank, lanes: [], logs: new Int32Array(), pinned: false, headings: [] }));
        const logs: number[][] = rows.map(() => []);
        let at = 0;
        while (at < run.size) {
            const rank = run.rank[at];
            const stream = run.stream[at];
            const lanes: number[][] = [];
            const freeAt: number[] = [];
            for (; at < run.size && run.rank[at] === rank && run.stream[at] === stream; ++at) {
                if (run.kind[at] === Kind.log) logs[rank].push(at);
                if (run.kind[at] === Kind.log || run.kind[at] === Kind.allocate) continue;
                let lane = freeAt.findIndex((free) => free <= run.begin[at]);
                if (lane < 0 && lanes.length === mostLanes) {
                    lane = mostLanes - 1;
                    ++layout.overlapping;
                } else if (lane < 0) {
                    lane = lanes.push([]) - 1;
                }
                lanes[lane].push(at);
                freeAt[lane] = run.begin[at] + run.length[at];
            }
            for (const spans of lanes) {
                for (const span of spans) layout.laneOf[index][span] = Math.min(127, rows[rank].lanes.length);
                rows[rank].lanes.push(laneOf(run, index, rank, streamName(run, stream), spans));
            }
        }
        rows.forEach((row, rank) => {
            row.logs = Int32Array.from(logs[rank]);
            if (row.lanes.length === 0) row.lanes.push(laneOf(run, index, rank, "", []));
            layout.ranks.push(row);
        });
    });
    return layout;
}

// Sorts the ranks by their coordinate on an axis, with a heading for each; null: by their numbers. Pinned ones come first.
export function arrange(layout: Layout, runs: Run[], axis: string | null): void {
    const groupOf = ({ run, rank }: RankRow) => runs[run].header.axes.find(({ name }) => name === axis)?.of_rank[rank] ?? -1;
    layout.ranks.sort((a, b) => Number(b.pinned) - Number(a.pinned) || a.run - b.run || groupOf(a) - groupOf(b) || a.rank - b.rank);
    layout.ranks.forEach((row, i) => {
        const before = layout.ranks[i - 1];
        const begins = before === undefined || before.run !== row.run || before.pinned !== row.pinned;
        const group = groupOf(row);
        row.headings = begins && runs.length > 1 ? [runs[row.run].header.title] : [];
        if (group >= 0 && (begins || groupOf(before) !== group)) row.headings.push(`${axis} ${group}`);
    });
}

// The number of sorted values up to `value`, searched from `from` on.
export function upper(sorted: Float64Array, value: number, from = 0): number {
    let step = 1;
    let low = from;
    while (low + step <= sorted.length && sorted[low + step - 1] <= value) {
        low += step;
        step *= 2;
    }
    let high = Math.min(sorted.length, low + step);
    while (low < high) {
        const middle = (low + high) >> 1;
        if (sorted[middle] <= value) low = middle + 1;
        else high = middle;
    }
    return low;
}

// Adds the time of each class from the start to `time` into `sums`. `after`: upper(lane.begin, time).
export function spentUntil(run: Run, lane: Lane, time: number, after: number, sums: Float64Array): void {
    for (let c = 0; c < classes; ++c) sums[c] = lane.busy[c][after];
    if (after === 0) return;
    const span = lane.spans[after - 1];
    const left = run.begin[span] + run.length[span] - time;
    if (left <= 0) return;
    // A span first waits, then works.
    const work = run.length[span] - run.idle[span];
    sums[classOf(run.kind[span])] -= Math.min(left, work);
    sums[Class.waiting] -= Math.max(0, left - work);
}
