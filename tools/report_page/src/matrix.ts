// The communication matrix: a row for each sender, a column for each receiver.
import { channels, isDark } from "./colors";
import type { Run } from "./data";
import { element, section } from "./dom";
import { amount, measured, whole } from "./format";
import { table } from "./table";
import { onTheme } from "./theme";

const mostCells = 256; // per direction: with more ranks, several share a cell

interface Pairs {
    from: Float64Array;
    to: Float64Array;
    messages: Float64Array;
    sent: Float64Array;
    measure: number;
}

function pairsOf(run: Run): Pairs {
    const column = (name: string) => run.columns.get(`pairs.${name}`)!;
    const bytes = column("bytes");
    const inUnits = !bytes.some((value) => value > 0);
    return { from: column("from"), to: column("to"), messages: column("messages"), sent: inUnits ? column("billionths") : bytes, measure: inUnits ? 1 : 0 };
}

function paint(canvas: HTMLCanvasElement, grid: Float64Array, cells: number, side: number): void {
    canvas.width = canvas.height = cells * side;
    const context = canvas.getContext("2d")!;
    const paper = channels(isDark() ? "#1a1e24" : "#f1f3f5");
    const ink = channels(isDark() ? "#F0B22E" : "#0072B2");
    const most = grid.reduce((a, b) => Math.max(a, b), 0);
    for (let i = 0; i < grid.length; ++i) {
        // Square roots, so that small values are distinguishable from zero.
        const share = most === 0 || grid[i] === 0 ? 0 : 0.15 + 0.85 * Math.sqrt(grid[i] / most);
        const mixed = paper.map((c, k) => Math.round(c + share * (ink[k] - c)));
        context.fillStyle = `rgb(${mixed.join(",")})`;
        const gap = side > 6 ? 1 : 0;
        context.fillRect((i % cells) * side, Math.floor(i / cells) * side, side - gap, side - gap);
    }
}

export function matrixSection(run: Run, index: number): HTMLElement | null {
    const pairs = pairsOf(run);
    if (pairs.from.length === 0) return null;
    const made = section(`matrix-${index}`, "Who sends how much to whom", "Rows send, columns receive. Collectives that are computed as one op send no messages and are not in it.");
    const together = Math.ceil(run.header.ranks / mostCells);
    const cells = Math.ceil(run.header.ranks / together);
    const grid = new Float64Array(cells * cells);
    pairs.from.forEach((from, i) => (grid[Math.floor(from / together) * cells + Math.floor(pairs.to[i] / together)] += pairs.sent[i]));
    const side = Math.max(2, Math.min(28, Math.floor(420 / cells)));
    const canvas = element("canvas", { class: "matrix", role: "img", "aria-label": "Matrix of messages; the table below has its numbers", "data-test": `matrix-canvas-${index}` });
    const under = element("p", { class: "faint", "aria-live": "polite" }, "Point at a cell.");
    canvas.addEventListener("pointermove", (event) => {
        const [column, row] = [event.offsetX, event.offsetY].map((at) => Math.min(cells - 1, Math.max(0, Math.floor(at / side))));
        const who = (cell: number) => {
            const last = Math.min(run.header.ranks - 1, (cell + 1) * together - 1);
            const first = run.header.rank_names[cell * together];
            return together === 1 || last === cell * together ? first : `${first} \u2026 ${run.header.rank_names[last]}`;
        };
        under.textContent = `${who(row)} sends ${measured(grid[row * cells + column], pairs.measure)} to ${who(column)}`;
    });
    const draw = () => paint(canvas, grid, cells, side);
    draw();
    onTheme(draw);
    made.append(element("div", { class: "beside" }, element("div", {}, canvas, under), pairTable(run, pairs, index)));
    if (together > 1) made.append(element("p", { class: "notice" }, `Each cell stands for ${together} ranks.`));
    return made;
}

function pairTable(run: Run, pairs: Pairs, index: number): HTMLElement {
    const names = run.header.rank_names;
    const order = [...pairs.from.keys()].sort((a, b) => pairs.sent[b] - pairs.sent[a]);
    return table(`pairs-${index}`, "By sender and receiver",
        [{ title: "from", words: true }, { title: "to", words: true }, { title: "messages" }, { title: "amount" }],
        order.map((i) => [
            { text: names[pairs.from[i]] ?? "", value: pairs.from[i] },
            { text: names[pairs.to[i]] ?? "", value: pairs.to[i] },
            { text: whole(pairs.messages[i]), value: pairs.messages[i] },
            { text: pairs.measure === 1 ? measured(pairs.sent[i], 1) : amount(pairs.sent[i], "B"), value: pairs.sent[i], exact: String(pairs.sent[i]) },
        ]));
}
