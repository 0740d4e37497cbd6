// Links: a picture of the network with its traffic at the replay's time, and the use of the busiest links over time.
import { channels, isDark, theme } from "./colors";
import type { Run } from "./data";
import { element, section, swatched } from "./dom";
import { amount, percent, whole } from "./format";
import { linkUse, stretches, type LinkUse } from "./link_use";
import { table } from "./table";
import { onTheme } from "./theme";
import type { View } from "./view";

const busiest = 24; // links in the picture over time
const mostVertices = 700; // in the picture of the network
const rowHeight = 15;
const vertexNames = ["GPU", "network card", "switch of a node", "switch of the network"];
const vertexClasses = ["compute", "send", "receive", "collective"]; // the classes whose colours they use

export interface Links {
    section: HTMLElement;
    show: () => void; // shows the traffic at the view's time
}

function colorOf(share: number): string {
    const paper = channels(isDark() ? "#2a3038" : "#e3e7ea");
    const ink = channels(isDark() ? "#ff7ac6" : "#b3146f");
    const by = share <= 0 ? 0 : 0.2 + 0.8 * Math.min(1, share);
    return `rgb(${paper.map((c, i) => Math.round(c + by * (ink[i] - c))).join(",")})`;
}

// GPUs at the bottom and more distant vertices above them, or all on a circle.
function placed(run: Run, width: number, height: number): [number, number][] {
    const { vertices, circle } = run.header.topology!;
    if (circle) {
        return vertices.map((_, i) => {
            const angle = (2 * Math.PI * i) / vertices.length - Math.PI / 2;
            return [width / 2 + (height / 2 - 24) * Math.cos(angle), height / 2 + (height / 2 - 24) * Math.sin(angle)];
        });
    }
    const kinds = [...new Set(vertices.map(([, kind]) => kind))].sort();
    const sizes = kinds.map((kind) => vertices.filter((vertex) => vertex[1] === kind).length);
    const next = kinds.map(() => 0);
    return vertices.map(([, kind]) => {
        const level = kinds.indexOf(kind);
        const y = kinds.length === 1 ? height / 2 : height - 24 - (level * (height - 48)) / (kinds.length - 1);
        return [((next[level]++ + 0.5) * width) / sizes[level], y];
    });
}

function drawNetwork(canvas: HTMLCanvasElement, run: Run, use: LinkUse, shareOf: (link: number) => number): void {
    const [width, height] = [canvas.clientWidth || 900, 340];
    const ratio = window.devicePixelRatio || 1;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = canvas.getContext("2d")!;
    context.scale(ratio, ratio);
    const places = placed(run, width, height);
    const order = [...use.names.keys()].sort((a, b) => shareOf(a) - shareOf(b));
    for (const link of order) {
        const share = shareOf(link);
        const [[x1, y1], [x2, y2]] = [places[use.from[link]], places[use.to[link]]];
        // The two directions of a cable are drawn side by side.
        const length = Math.max(1, Math.hypot(x2 - x1, y2 - y1));
        const [dx, dy] = [(2 * (y2 - y1)) / length, (-2 * (x2 - x1)) / length];
        context.strokeStyle = colorOf(share);
        context.lineWidth = share > 0 ? 1.5 + 2 * Math.min(1, share) : 1;
        context.beginPath();
        context.moveTo(x1 + dx, y1 + dy);
        context.lineTo(x2 + dx, y2 + dy);
        context.stroke();
    }
    const colors = theme();
    const fill = [colors.classes[0], colors.classes[1], colors.classes[2], colors.classes[3]];
    run.header.topology!.vertices.forEach(([, kind], i) => {
        context.fillStyle = fill[kind] ?? colors.text;
        context.beginPath();
        context.arc(places[i][0], places[i][1], places.length > 150 ? 3 : 6, 0, 7);
        context.fill();
    });
}

function drawOverTime(canvas: HTMLCanvasElement, use: LinkUse, links: number[]): void {
    const width = canvas.clientWidth || 900;
    const ratio = window.devicePixelRatio || 1;
    canvas.style.height = `${links.length * rowHeight}px`;
    canvas.width = width * ratio;
    canvas.height = links.length * rowHeight * ratio;
    const context = canvas.getContext("2d")!;
    context.scale(ratio, ratio);
    links.forEach((link, row) => {
        for (let s = 0; s < stretches; ++s) {
            context.fillStyle = colorOf(use.share[link * stretches + s]);
            context.fillRect((s * width) / stretches, row * rowHeight, width / stretches + 0.5, rowHeight - 2);
        }
    });
}

export function linksSection(run: Run, index: number, view: View): Links | null {
    const use = linkUse(run);
    if (use === null) return null;
    const made = section(`links-${index}`, "Links", "How much of each link's bandwidth messages take: of the whole run, or, in a replay, of the moment. Each message is spread evenly over its time under way; collectives that are computed as one op are not in it.");
    const average = (link: number) => (run.end === 0 ? 0 : use.bytes[link] / ((use.bandwidth[link] * run.end) / 1e12));
    const now = (link: number) => use.share[link * stretches + Math.min(stretches - 1, Math.floor((view.cursor / run.end) * stretches))];
    const shareOf = (link: number) => (view.cursor < 0 ? average(link) : now(link));
    const order = [...use.names.keys()].sort((a, b) => average(b) - average(a));
    const drawn = run.header.topology!.vertices.length <= mostVertices;
    const network = element("canvas", { class: "network", role: "img", "aria-label": "The network; the table below has its links", "data-test": `network-${index}` });
    const under = element("p", { class: "faint", "data-test": `network-now-${index}` });
    const strip = element("canvas", { class: "strip", role: "img", "aria-label": "Use of the busiest links over time" });
    const names = element("div", { class: "strip-names" });
    const top = order.slice(0, busiest);
    for (const link of top) names.append(element("div", { title: use.names[link] }, use.names[link]));
    made.append(...(drawn ? [network, under] : [element("p", { class: "notice" }, `The network has ${run.header.topology!.vertices.length} vertices, too many to draw.`)]));
    made.append(element("h3", {}, order.length > busiest ? `The ${busiest} busiest links over time` : "Over time"), element("div", { class: "over-time" }, names, strip), linkTable(run, index, use, order, average));
    if (run.header.merged.spans > 0) made.append(element("p", { class: "notice" }, "Messages that are drawn within bars of several spans are missing from the use over time; bytes and averages are of all."));
    const show = () => {
        if (!drawn) return;
        drawNetwork(network, run, use, shareOf);
        const most = order.reduce((best, link) => (shareOf(link) > shareOf(best) ? link : best), order[0]);
        under.textContent = `${view.cursor < 0 ? "Of the whole run" : "Now"} the busiest link is ${use.names[most]}: ${percent(shareOf(most), 1)} of its bandwidth.`;
    };
    if (drawn) {
        const legend = element("p", { class: "legend" });
        for (const kind of new Set(run.header.topology!.vertices.map((vertex) => vertex[1]))) {
            legend.append(swatched(`round ${vertexClasses[kind]}`, vertexNames[kind]));
        }
        under.before(legend);
    }
    const all = () => (show(), drawOverTime(strip, use, top));
    requestAnimationFrame(all);
    onTheme(all);
    return { section: made, show };
}

function linkTable(run: Run, index: number, use: LinkUse, order: number[], average: (link: number) => number): HTMLElement {
    const peak = (link: number) => use.share.subarray(link * stretches, (link + 1) * stretches).reduce((a, b) => Math.max(a, b), 0);
    return table(`links-table-${index}`, `Links of ${run.header.topology!.name}`,
        [{ title: "link", words: true }, { title: "bandwidth" }, { title: "messages" }, { title: "bytes" }, { title: "used on average" }, { title: "at most" }],
        order.map((link) => [
            { text: use.names[link] }, { text: `${amount(use.bandwidth[link], "B")}/s`, value: use.bandwidth[link] },
            { text: whole(use.messages[link]), value: use.messages[link] }, { text: amount(use.bytes[link], "B"), value: use.bytes[link], exact: String(use.bytes[link]) },
            { text: percent(average(link), 1), value: average(link) }, { text: percent(peak(link), 1), value: peak(link) },
        ]));
}
