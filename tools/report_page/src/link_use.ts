// The share of each link's bandwidth that messages use over time. Each message is spread evenly over its transmission.
import { Kind, Measure, type Run } from "./data";

export const stretches = 240; // time intervals of the run

export interface LinkUse {
    names: string[];
    from: Float64Array; // vertices
    to: Float64Array;
    bandwidth: Float64Array; // bytes per second
    bytes: Float64Array; // total of all messages
    messages: Float64Array;
    share: Float32Array; // share of bandwidth of link l in interval s, at l * stretches + s
}

// The links between each pair of ranks that communicate.
function routesOf(run: Run): Map<number, Float64Array> {
    const column = (name: string) => run.columns.get(name)!;
    const [from, to, lengths, links] = [column("pairs.from"), column("pairs.to"), column("routes.length"), column("routes.link")];
    const routes = new Map<number, Float64Array>();
    let at = 0;
    from.forEach((rank, i) => {
        routes.set(rank * run.header.ranks + to[i], links.subarray(at, at + lengths[i]));
        at += lengths[i];
    });
    return routes;
}

export function linkUse(run: Run): LinkUse | null {
    const { topology, ranks } = run.header;
    if (!topology) return null;
    const column = (name: string) => run.columns.get(name)!;
    const [from, to, bandwidth] = [column("links.from"), column("links.to"), column("links.bandwidth")];
    const use: LinkUse = {
        names: Array.from(from, (vertex, i) => `${topology.vertices[vertex][0]} \u2192 ${topology.vertices[to[i]][0]}`),
        from, to, bandwidth,
        bytes: new Float64Array(from.length), messages: new Float64Array(from.length), share: new Float32Array(from.length * stretches),
    };
    const routes = routesOf(run);
    const bytes = column("pairs.bytes").map((sent, i) => sent + (column("pairs.billionths")[i] / 1e9) * topology.bytes_per_unit);
    column("pairs.from").forEach((rank, i) => {
        for (const link of routes.get(rank * ranks + column("pairs.to")[i])!) {
            use.bytes[link] += bytes[i];
            use.messages[link] += column("pairs.messages")[i];
        }
    });
    for (let receive = 0; receive < run.size; ++receive) {
        const send = run.partner[receive];
        if (send < 0 || run.kind[receive] !== Kind.receive) continue;
        spread(run, use, routes.get(run.rank[send] * ranks + run.rank[receive])!, send, receive);
    }
    return use;
}

function spread(run: Run, use: LinkUse, route: Float64Array, send: number, receive: number): void {
    const begin = run.begin[send] + run.idle[send];
    const end = Math.max(begin + 1, run.begin[receive] + run.length[receive]);
    const length = run.end / stretches;
    const bytes = run.measure[send] === Measure.units ? (run.amount[send] / 1e9) * run.header.topology!.bytes_per_unit : run.amount[send];
    const rate = (bytes / (end - begin)) * 1e12; // bytes per second
    for (let s = Math.floor(begin / length); s < stretches && s * length < end; ++s) {
        const inside = Math.min(end, (s + 1) * length) - Math.max(begin, s * length);
        for (const link of route) use.share[link * stretches + s] += (rate / use.bandwidth[link]) * (inside / length);
    }
}
