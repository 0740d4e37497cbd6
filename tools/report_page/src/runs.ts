// Several runs side by side: time, its parts and memory, from the totals of their ranks.
import type { Run, Totals } from "./data";
import { section } from "./dom";
import { exact, measured, percent, time } from "./format";
import { table } from "./table";

export function runsSection(runs: Run[]): HTMLElement {
    const made = section("runs-side-by-side", "The runs side by side", "Parts of the time are means over the ranks; memory is that of the fullest rank.");
    const rows = runs.map(({ header }) => {
        const end = Number(header.end);
        const sum = (part: "compute" | "communication" | "idle") => header.totals.reduce((all, rank) => all + Number(rank[part]), 0);
        const share = (part: "compute" | "communication" | "idle") => ({ text: percent(sum(part), end * header.ranks), value: sum(part) / (end * header.ranks) });
        const most = (part: "peak_bytes" | "peak_billionths") => header.totals.reduce((all: number, rank: Totals) => Math.max(all, Number(rank[part])), 0);
        const peak = { text: most("peak_bytes") > 0 ? measured(most("peak_bytes"), 0) : measured(most("peak_billionths"), 1), value: most("peak_bytes") || most("peak_billionths") };
        return [{ text: header.title }, { text: time(end), value: end, exact: exact(header.end) }, { text: percent(end, runs[0].end), value: end },
            share("compute"), share("communication"), share("idle"), { ...peak, exact: String(peak.value) }];
    });
    made.append(table("runs-table", "Time and memory",
        [{ title: "run", words: true }, { title: "time" }, { title: "of the first" }, { title: "compute" }, { title: "communication" }, { title: "waiting" }, { title: "peak memory" }], rows));
    return made;
}
