// Time by activity: a bar for each rank, and the table of its numbers. A run with an account shows its categories; for
// other runs only compute, communication and waiting are known.
import type { Run } from "./data";
import { element, name, section, swatched } from "./dom";
import { amount, exact, percent, time, whole } from "./format";
import { table, type Cell } from "./table";

// A part of the time of all ranks. The parts add up to `all`.
interface Part {
    of: string; // its CSS class
    title: string;
    mark: string;
    ranks: number[];
    exact: string[];
}
const mostBars = 64;
const always = new Set(["rank", "compute", "communication", "waiting", "ends"]); // others only if they are not zero

function partsOf(run: Run): Part[] {
    const { account, totals } = run.header;
    if (account !== undefined) {
        return account.map(({ name: of, title, mark, ranks }) => ({ of: `part-${of}`, title, mark, ranks: ranks.map(Number), exact: ranks }));
    }
    const part = (of: "compute" | "communication" | "idle", title: string) =>
        ({ of, title, mark: "", ranks: totals.map((rank) => Number(rank[of])), exact: totals.map((rank) => rank[of]) });
    return [part("compute", "compute"), part("communication", "communication"), part("idle", "waiting")];
}

function sumOf(parts: Part[], rank: number): number {
    return parts.reduce((sum, part) => sum + part.ranks[rank], 0);
}

// A piece of a bar. Shares are of its whole length; the rest stays empty.
export interface Piece {
    of: string; // its CSS class
    title: string;
    mark: string;
    share: number;
    text: string; // its amount
    percent: string;
}

function lineOf(pieces: Piece[]): HTMLElement {
    const line = element("span", { class: "whole" });
    for (const { of, title, mark, share, text, percent } of pieces) {
        const piece = element("span", { class: `part ${of}`, title: `${title}: ${text}, ${percent}` });
        piece.style.width = `${100 * share}%`;
        if (share > 0.07) piece.append(element("span", {}, `${mark}${mark === "" ? "" : " "}${percent}`));
        line.append(piece);
    }
    return line;
}

function barOf(parts: { part: Part; value: number }[], all: number): HTMLElement {
    return lineOf(piecesOf(parts, all));
}

function piecesOf(parts: { part: Part; value: number }[], all: number): Piece[] {
    return parts.map(({ part: { of, title, mark }, value }) =>
        ({ of, title, mark, share: all === 0 ? 0 : value / all, text: time(value), percent: percent(value, all) }));
}

function legendOf(parts: { of: string; title: string; mark: string }[]): HTMLElement {
    const legend = element("p", { class: "legend" });
    for (const part of parts) {
        legend.append(swatched(part.of, part.mark === "" ? part.title : `${part.mark} ${part.title}`));
    }
    return legend;
}

// The mean of all ranks as one bar; null: the run has no account.
export function accountBar(run: Run): HTMLElement | null {
    if (run.header.account === undefined) return null;
    const parts = partsOf(run);
    const means = parts.map((part) => ({ part, value: part.ranks.reduce((sum, one) => sum + one, 0) / part.ranks.length }));
    return labelledBar(piecesOf(means, means.reduce((sum, { value }) => sum + value, 0)));
}

// A bar with a legend, which also serves readers who cannot see the colours.
export function labelledBar(pieces: Piece[]): HTMLElement {
    const bar = lineOf(pieces);
    bar.setAttribute("role", "img");
    bar.setAttribute("aria-label", pieces.map(({ title, percent }) => `${title} ${percent}`).join(", "));
    return element("div", { class: "account", "data-test": "account" }, bar, legendOf(pieces));
}

export function spentSection(run: Run, index: number): HTMLElement {
    const { account, totals } = run.header;
    const made = section(`spent-${index}`, "Where the time went", account === undefined
        ? "Each rank's time until the end of the run: computing, communicating, and waiting for others."
        : "Each rank's time in the step, by category; communication as far as no computation hides it.");
    const parts = partsOf(run);
    const bars = element("div", { class: totals.length > 16 ? "bars dense" : "bars", role: "img", "aria-label": "Share of each part of the time; the table below has the numbers" });
    totals.slice(0, mostBars).forEach((_, rank) => {
        const all = account === undefined ? run.end : sumOf(parts, rank);
        bars.append(element("div", { class: "spent" }, element("span", { class: "who" }, name(run.header.rank_names[rank], 40)),
            barOf(parts.map((part) => ({ part, value: part.ranks[rank] })), all)));
    });
    bars.style.setProperty("--who", `${Math.max(132, Math.min(280, 7 * Math.max(...run.header.rank_names.map((one) => one.length))))}px`);
    made.append(legendOf(parts), bars);
    if (totals.length > mostBars) {
        made.append(element("p", { class: "notice" }, `The bars are those of the first ${mostBars} of ${totals.length} ranks; the table has all.`));
    }
    made.append(totalsTable(run, index, parts));
    return made;
}

function totalsTable(run: Run, index: number, parts: Part[]): HTMLElement {
    const { account, totals, pids } = run.header;
    const cell = (ps: string): Cell => ({ text: time(Number(ps)), value: Number(ps), exact: exact(ps) });
    const units = totals.some((rank) => rank.billionths_sent !== "0" || rank.peak_billionths !== "0");
    const columns = [{ title: "rank", words: true }, ...parts.map((part) => ({ title: part.title })),
        { title: "in collectives" }, { title: "ends" }, { title: "messages" }, { title: "bytes sent" }, { title: "peak memory" }];
    if (units) columns.push({ title: "units sent" }, { title: "peak units" });
    if (pids.length > 0) columns.push({ title: "process" });
    const rows = totals.map((rank, i) => {
        const row: Cell[] = [{ text: run.header.rank_names[i], value: i }, ...parts.map((part) => cell(part.exact[i])),
            cell(rank.idle_in_collectives), cell(rank.end),
            { text: whole(rank.messages_sent), value: Number(rank.messages_sent), exact: rank.messages_sent },
            { text: amount(Number(rank.bytes_sent), "B"), value: Number(rank.bytes_sent), exact: rank.bytes_sent },
            { text: amount(Number(rank.peak_bytes), "B"), value: Number(rank.peak_bytes), exact: rank.peak_bytes }];
        const inUnits = (billionths: string) => ({ text: String(Number(billionths) / 1e9), value: Number(billionths), exact: billionths });
        if (units) row.push(inUnits(rank.billionths_sent), inUnits(rank.peak_billionths));
        if (pids.length > 0) row.push({ text: String(pids[i] ?? ""), value: pids[i] ?? 0 });
        return row;
    });
    const needed = columns.map((column, i) => account !== undefined && i <= parts.length || always.has(column.title) || rows.some((row) => row[i].value !== 0));
    const some = <Item>(items: Item[]) => items.filter((_, i) => needed[i]);
    return table(`totals-${index}`, "By rank", some(columns), rows.map(some));
}
