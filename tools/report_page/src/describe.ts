// Describes a span in lines of name and value, for the tooltip and for the panel of the selected span.
import { coordinatesOf, labelOf, type Run } from "./data";
import { exact, measured, percent, time, whole } from "./format";

export function lines(run: Run, span: number): [string, string][] {
    const kind = run.header.kinds[run.kind[span]];
    const rank = (number: number) => run.header.rank_names[number] ?? `Rank ${number}`;
    const found: [string, string][] = [["what", kind], ["rank", rank(run.rank[span])]];
    const coordinates = coordinatesOf(run, run.rank[span]);
    if (coordinates !== "") found.push(["in the mesh", coordinates]);
    const stands = run.count === null ? 1 : run.count[span];
    if (stands > 1) found.push(["stands for", `${whole(stands)} short ones, drawn as one bar`]);
    if (run.peer[span] >= 0) found.push([kind === "send" ? "to" : "from", rank(run.peer[span])]);
    if (run.amount[span] !== 0) found.push(["amount", measured(run.amount[span], run.measure[span])]);
    found.push(["begins", exact(run.begin[span])]);
    found.push(["takes", `${time(run.length[span])}, which is ${exact(run.length[span])}`]);
    if (run.idle[span] > 0) {
        found.push(["waits", `${time(run.idle[span])}, ${percent(run.idle[span], run.length[span])} of it, for others to begin`]);
    }
    if (run.slack[span] >= 0) {
        found.push(["slack", run.slack[span] === 0 ? "none: later, it would make the run longer" : `may end ${time(run.slack[span])} later without making the run longer`]);
    }
    return found;
}

export function title(run: Run, span: number): string {
    return labelOf(run, span) || run.header.kinds[run.kind[span]];
}
