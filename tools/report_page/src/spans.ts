// The timeline as a table: the spans of the visible time interval, for screen readers and for copying.
import type { Run } from "./data";
import { labelOf } from "./data";
import { button, element, section } from "./dom";
import { exact, measured, time } from "./format";
import { table } from "./table";
import type { View } from "./view";

const most = 2000;

export function spansSection(run: Run, index: number, view: View): HTMLElement {
    const made = section(`spans-${index}`, "The timeline as a table", "The spans of the stretch of time that the timeline shows.");
    const place = element("div");
    const list = () => {
        const rows = [];
        let all = 0;
        for (let span = 0; span < run.size; ++span) {
            if (run.begin[span] > view.to || run.begin[span] + run.length[span] < view.from) continue;
            if (++all > most) continue;
            rows.push([
                { text: run.header.rank_names[run.rank[span]], value: run.rank[span] },
                { text: run.header.kinds[run.kind[span]] },
                { text: labelOf(run, span) },
                { text: exact(run.begin[span]), value: run.begin[span] },
                { text: time(run.length[span]), value: run.length[span], exact: exact(run.length[span]) },
                { text: time(run.idle[span]), value: run.idle[span], exact: exact(run.idle[span]) },
                { text: run.peer[span] < 0 ? "" : run.header.rank_names[run.peer[span]] ?? "", value: run.peer[span] },
                { text: measured(run.amount[span], run.measure[span]), value: run.amount[span] },
            ]);
        }
        const note = all > most ? `The first ${most} of ${all}: zoom in to see others here.` : `${all} spans.`;
        place.replaceChildren(
            element("p", { class: "about" }, note),
            table(`span-rows-${index}`, "Spans", [{ title: "rank", words: true }, { title: "kind", words: true }, { title: "label", words: true },
                { title: "begins" }, { title: "takes" }, { title: "waits" }, { title: "peer", words: true }, { title: "amount" }], rows),
        );
    };
    made.append(button("List what the timeline shows", "Fill the table", `list-spans-${index}`, list), place);
    return made;
}
