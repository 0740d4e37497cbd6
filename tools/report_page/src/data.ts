// A run as the page holds it: the header that the simulator wrote, and a column for each property of its spans.
//
// Times are picoseconds in doubles, which are exact up to 2^53, that is two and a half hours; digit strings are always
// exact.

export interface Totals {
    compute: string;
    communication: string;
    idle: string;
    idle_in_collectives: string;
    end: string;
    bytes_sent: string;
    billionths_sent: string;
    messages_sent: string;
    peak_bytes: string;
    peak_billionths: string;
    ops: string;
}

export interface LabelSum {
    kind: number;
    label: string;
    measure: number;
    count: string;
    amount: string;
    time: string;
    idle: string;
}

// A category of an account, with each rank's time in it.
export interface Spent {
    name: string;
    title: string;
    mark: string;
    part: string;
    ranks: string[];
}

// An axis of the mesh that the ranks form, with each rank's coordinate.
export interface Axis {
    name: string;
    of_rank: number[];
}

// A collective, step by step; libsim/report/chunk_steps.hpp has the format.
export interface Chunks {
    name: string;
    members: number;
    chunks: number;
    steps: { moves: [number, number, number[], boolean][]; held: [number, number[]][][] }[];
}

export interface Header {
    title: string;
    sentence: string; // where the time went; empty: unknown
    axes: Axis[]; // from the outermost inwards; empty: no mesh
    ranks: number;
    end: string;
    fault: string;
    chunks?: Chunks;
    facts: [string, string][];
    rank_names: string[];
    stream_names: string[];
    pids: number[];
    kinds: string[];
    totals: Totals[];
    account?: Spent[]; // if the run has one; the categories add up to the step
    sums: LabelSum[];
    spans: number;
    merged: { spans: number; bars: number; shorter_than: string };
    topology?: {
        name: string;
        circle: boolean;
        vertices: [string, number][]; // name and kind: GPU, NIC, switch of a node, of the network
        bytes_per_unit: number;
    };
    labels: string[];
    shorts: string[]; // short form of each label: "F0"; empty: none
    passes: string[]; // colour of each label's pass: "f0" forward, "b0" backward; empty: no pass
    columns: { name: string; count: number; differences: boolean }[];
}

export interface Run {
    header: Header;
    end: number;
    size: number; // number of spans drawn
    rank: Float64Array;
    stream: Float64Array;
    kind: Float64Array;
    label: Float64Array;
    begin: Float64Array;
    length: Float64Array;
    idle: Float64Array;
    peer: Float64Array;
    amount: Float64Array;
    measure: Float64Array;
    slack: Float64Array; // how much later it may end without lengthening the run; negative: unknown
    partner: Int32Array; // the other end of a message; -1: none
    count: Float64Array | null;
    columns: Map<string, Float64Array>;
}

// Numbers of OpKind in libsim/op.hpp, and of Measure in libsim/units.hpp.
export const Kind = { compute: 0, send: 1, receive: 2, allocate: 5, collective: 6, log: 8, checkpoint: 15 };
export const Measure = { bytes: 0, units: 1, flops: 2, picoseconds: 3 };
// The stream of asynchronous ops.
export const ownStream = 255;

function bytesOf(base64: string): Uint8Array {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
    return bytes;
}

async function inflated(bytes: Uint8Array): Promise<Uint8Array> {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Decodes columns; the format is in libsim/report/page/columns.hpp.
export function unpacked(bytes: Uint8Array, directory: Header["columns"]): Map<string, Float64Array> {
    const columns = new Map<string, Float64Array>();
    let at = 0;
    for (const { name, count, differences } of directory) {
        const numbers = new Float64Array(count);
        let before = 0;
        for (let i = 0; i < count; ++i) {
            // The lowest bit is the sign. The other bits are summed without it, so that values are exact up to 2^53.
            let byte = bytes[at++];
            const negative = (byte & 1) === 1;
            let size = (byte & 0x7f) >> 1;
            for (let scale = 64; byte >= 0x80; scale *= 128) {
                byte = bytes[at++];
                size += (byte & 0x7f) * scale;
            }
            const number = negative ? -size - 1 : size;
            before = differences ? before + number : number;
            numbers[i] = before;
        }
        columns.set(name, numbers);
    }
    return columns;
}

function partnersOf(offsets: Float64Array): Int32Array {
    const partners = new Int32Array(offsets.length).fill(-1);
    for (let i = 0; i < offsets.length; ++i) {
        if (offsets[i] !== 0) {
            partners[i] = i + offsets[i];
            partners[i + offsets[i]] = i;
        }
    }
    return partners;
}

// Each span begins `gap` after the end of the previous one on its rank and stream; the first one, after 0.
function beginsOf(gaps: Float64Array, lengths: Float64Array, rank: Float64Array, stream: Float64Array): Float64Array {
    const begins = new Float64Array(gaps.length);
    let before = 0;
    for (let i = 0; i < gaps.length; ++i) {
        if (i > 0 && (rank[i] !== rank[i - 1] || stream[i] !== stream[i - 1])) before = 0;
        begins[i] = before + gaps[i];
        before = begins[i] + lengths[i];
    }
    return begins;
}

async function runOf(header: Header, base64: string): Promise<Run> {
    const columns = unpacked(await inflated(bytesOf(base64)), header.columns);
    const column = (name: string) => columns.get(name)!;
    return {
        header,
        end: Number(header.end),
        size: column("rank").length,
        rank: column("rank"),
        stream: column("stream"),
        kind: column("kind"),
        label: column("label"),
        begin: beginsOf(column("gap"), column("duration"), column("rank"), column("stream")),
        length: column("duration"),
        idle: column("idle"),
        peer: column("peer"),
        amount: column("amount"),
        measure: column("measure"),
        slack: column("slack"),
        partner: partnersOf(column("partner")),
        count: columns.get("count") ?? null,
        columns,
    };
}

export async function readRuns(): Promise<Run[]> {
    const headers = JSON.parse(document.getElementById("runs")!.textContent!) as Header[];
    return Promise.all(
        headers.map((header, i) => runOf(header, document.getElementById(`spans-${i}`)!.textContent!)),
    );
}

export function labelOf(run: Run, span: number): string {
    return run.header.labels[run.label[span]];
}

// "pp 1, dp 0, tp 1"; empty: the ranks form no mesh, or only a line.
export function coordinatesOf(run: Run, rank: number): string {
    const { axes } = run.header;
    return axes.length < 2 ? "" : axes.map(({ name, of_rank }) => `${name} ${of_rank[rank]}`).join(", ");
}

// The span's short form, shared by all timeline pictures: "F0"; empty: none.
export function shortOf(run: Run, span: number): string {
    return run.header.shorts[run.label[span]];
}
