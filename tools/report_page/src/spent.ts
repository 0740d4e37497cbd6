// Where the time went: a bar for each rank, and the table of its numbers.
import type { Run } from "./data";
import { element, name, section } from "./dom";
import { amount, exact, percent, time, whole } from "./format";
import { table } from "./table";

const parts: ["compute" | "communication" | "idle", string][] = [
    ["compute", "compute"],
    ["communication", "communication"],
    ["idle", "waiting"],
];
const mostBars = 64;
const always = new Set(["rank", "compute", "communication", "waiting", "ends"]); // others only where they say something

function bar(run: Run, rank: number): HTMLElement {
    const totals = run.header.totals[rank];
    const line = element("div", { class: "spent" }, element("span", { class: "who" }, name(run.header.rank_names[rank], 24)));
    const whole = element("span", { class: "whole" });
    for (const [part, title] of parts) {
        const value = Number(totals[part]);
        const piece = element("span", { class: `part ${part}`, title: `${title}: ${time(value)}, ${percent(value, run.end)}` });
        piece.style.width = `${run.end === 0 ? 0 : (100 * value) / run.end}%`;
        if (value / run.end > 0.07) piece.append(element("span", {}, percent(value, run.end)));
        whole.append(piece);
    }
    line.append(whole);
    return line;
}

export function spentSection(run: Run, index: number): HTMLElement {
    const made = section(`spent-${index}`, "Where the time went", "Each rank's time until the end of the run: computing, communicating, and waiting for others.");
    const { totals } = run.header;
    const legend = element("p", { class: "legend" });
    for (const [part, title] of parts) legend.append(element("span", { class: `swatch ${part}` }), `${title} `);
    const bars = element("div", { class: totals.length > 16 ? "bars dense" : "bars", role: "img", "aria-label": "Share of computing, communicating and waiting; the table below has the numbers" });
    totals.slice(0, mostBars).forEach((_, rank) => bars.append(bar(run, rank)));
    made.append(legend, bars);
    if (totals.length > mostBars) {
        made.append(element("p", { class: "notice" }, `The bars are those of the first ${mostBars} of ${totals.length} ranks; the table has all.`));
    }
    made.append(totalsTable(run, index));
    return made;
}

function totalsTable(run: Run, index: number): HTMLElement {
    const { totals, pids } = run.header;
    const cell = (ps: string) => ({ text: time(Number(ps)), value: Number(ps), exact: exact(ps) });
    const units = totals.some((rank) => rank.billionths_sent !== "0" || rank.peak_billionths !== "0");
    const columns = [{ title: "rank", words: true }, { title: "compute" }, { title: "communication" }, { title: "waiting" },
        { title: "in collectives" }, { title: "ends" }, { title: "messages" }, { title: "bytes sent" }, { title: "peak memory" }];
    if (units) columns.push({ title: "units sent" }, { title: "peak units" });
    if (pids.length > 0) columns.push({ title: "process" });
    const rows = totals.map((rank, i) => {
        const row = [{ text: run.header.rank_names[i], value: i }, cell(rank.compute), cell(rank.communication), cell(rank.idle),
            cell(rank.idle_in_collectives), cell(rank.end),
            { text: whole(rank.messages_sent), value: Number(rank.messages_sent), exact: rank.messages_sent },
            { text: amount(Number(rank.bytes_sent), "B"), value: Number(rank.bytes_sent), exact: rank.bytes_sent },
            { text: amount(Number(rank.peak_bytes), "B"), value: Number(rank.peak_bytes), exact: rank.peak_bytes }];
        const inUnits = (billionths: string) => ({ text: String(Number(billionths) / 1e9), value: Number(billionths), exact: billionths });
        if (units) row.push(inUnits(rank.billionths_sent), inUnits(rank.peak_billionths));
        if (pids.length > 0) row.push({ text: String(pids[i] ?? ""), value: pids[i] ?? 0 });
        return row;
    });
    const needed = columns.map((column, i) => always.has(column.title) || rows.some((row) => row[i].value !== 0));
    const some = <Item>(items: Item[]) => items.filter((_, i) => needed[i]);
    return table(`totals-${index}`, "By rank", some(columns), rows.map(some));
}
