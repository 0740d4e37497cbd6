// Two runs side by side, as in `ndsim compare`: one sentence, and the parts of the difference.
import { section } from "./dom";
import { percent, time } from "./format";
import { table } from "./table";

// Times in seconds.
interface Times {
    name: string;
    a: number;
    b: number;
    difference: number;
}

export interface Comparison {
    sentence: string;
    all: Times;
    parts: Times[];
    figures: { name: string; a: string; b: string; change: string }[];
    changed: { name: string; a: string; b: string }[]; // empty: not set
}

export function readComparison(): Comparison | null {
    return JSON.parse(document.getElementById("comparison")!.textContent!) as Comparison | null;
}

function seconds(value: number, sign = "") {
    return { text: `${value < 0 ? "\u2212" : value > 0 ? sign : ""}${time(Math.abs(value) * 1e12)}`, value, exact: `${value} s` };
}

export function compareSection({ all, parts, figures, changed }: Comparison): HTMLElement {
    const made = section("compare", "What the difference is made of", "The mean over the ranks of each run. The parts add up to the whole.");
    const share = (part: Times) => ({ text: percent(part.difference, all.a), value: part.difference });
    made.append(
        table("compare-table", "Time", [{ title: "part", words: true }, { title: "A" }, { title: "B" }, { title: "B \u2212 A" }, { title: "of A" }],
            [...parts, all].map((part) => [{ text: part.name }, seconds(part.a), seconds(part.b), seconds(part.difference, "+"), share(part)])));
    if (figures.length > 0) {
        made.append(
            table("figures-table", "Figures", [{ title: "what", words: true }, { title: "A" }, { title: "B" }, { title: "change" }],
                figures.map((one) => [{ text: one.name }, { text: one.a }, { text: one.b }, { text: one.change }])));
    }
    if (changed.length > 0) {
        made.append(
            table("changed-table", "What was asked for differently",
                [{ title: "option", words: true }, { title: "A", words: true }, { title: "B", words: true }],
                changed.map((one) => [{ text: one.name }, { text: one.a || "none" }, { text: one.b || "none" }])));
    }
    return made;
}
