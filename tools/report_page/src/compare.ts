// Two runs side by side: what the difference of their lengths is made of, and one sentence that says so.
import type { Run } from "./data";
import { element, name, section } from "./dom";
import { percent, time } from "./format";
import { table } from "./table";

type Part = "compute" | "communication" | "idle";
const parts: [Part, string][] = [["compute", "computing"], ["communication", "communicating"], ["idle", "waiting"]];

// Of all ranks: the parts of a rank add up to the length of the run, so their averages do.
function average(run: Run, part: Part): number {
    const { totals } = run.header;
    return totals.reduce((sum, rank) => sum + Number(rank[part]), 0) / Math.max(1, totals.length);
}

function sentence(a: Run, b: Run): string {
    const difference = b.end - a.end;
    if (difference === 0) return "Both take the same time.";
    const share = parts.map(([part, title]) => ({ title, by: average(b, part) - average(a, part) }));
    const most = share.reduce((x, y) => (y.by * Math.sign(difference) > x.by * Math.sign(difference) ? y : x));
    return `The second run takes ${time(Math.abs(difference))} ${difference > 0 ? "more" : "less"} than the first (${percent(Math.abs(difference), a.end)}), ` +
        `mostly because its ranks are ${most.title} for ${time(Math.abs(most.by))} ${most.by > 0 ? "longer" : "shorter"} on average.`;
}

export function compareSection(runs: Run[]): HTMLElement | null {
    if (runs.length !== 2) return null;
    const [a, b] = runs;
    const made = section("compare", "The two runs compared", "Averages over the ranks of each run. They add up to its length.");
    made.append(element("p", { "data-test": "compare-sentence" }, sentence(a, b)));
    const cell = (value: number) => ({ text: `${value < 0 ? "\u2212" : ""}${time(Math.abs(value))}`, value, exact: String(value) });
    const row = (title: string, x: number, y: number) => [{ text: title }, cell(x), cell(y), cell(y - x)];
    made.append(
        element("p", { class: "faint" }, "First: ", name(a.header.title), ". Second: ", name(b.header.title), "."),
        table("compare-table", "Difference", [{ title: "part", words: true }, { title: "first" }, { title: "second" }, { title: "difference" }],
            [...parts.map(([part, title]) => row(title, average(a, part), average(b, part))), row("the whole run", a.end, b.end)]));
    return made;
}
