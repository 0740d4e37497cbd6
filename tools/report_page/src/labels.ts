// Ops by label: count, amount and time. Collectives come first.
import type { Run } from "./data";
import { section } from "./dom";
import { exact, measured, time, whole } from "./format";
import { table } from "./table";

export function labelsSection(run: Run, index: number): HTMLElement {
    const made = section(`labels-${index}`, "Collectives, messages and computations", "All ops of one kind and label together. Their times add up over all ranks, so they may exceed the length of the run.");
    const order = ["collective", "send", "receive", "compute"];
    const rank = (kind: number) => order.indexOf(run.header.kinds[kind]);
    const sums = [...run.header.sums].sort((a, b) => rank(a.kind) - rank(b.kind) || Number(b.time) - Number(a.time));
    made.append(
        table(`sums-${index}`, "By kind and label",
            [{ title: "label", words: true }, { title: "kind", words: true }, { title: "count" }, { title: "amount" }, { title: "time" }, { title: "of it waiting" }],
            sums.map((sum) => [
                { text: sum.label || "\u2013", value: sum.label },
                { text: run.header.kinds[sum.kind] },
                { text: whole(sum.count), value: Number(sum.count), exact: sum.count },
                { text: measured(Number(sum.amount), sum.measure), value: Number(sum.amount), exact: sum.amount },
                { text: time(Number(sum.time)), value: Number(sum.time), exact: exact(sum.time) },
                { text: time(Number(sum.idle)), value: Number(sum.idle), exact: exact(sum.idle) },
            ])),
    );
    return made;
}
