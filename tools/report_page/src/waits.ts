// Waits: when the ranks of a pipeline fill it, wait between passes, and drain it.
import type { Run } from "./data";
import { upper } from "./lanes";

// By number of PipelineWait in libsim/report/passes.hpp.
const names = ["fill", "bubble", "drain"];

export interface Wait {
    begin: number;
    end: number;
    name: string;
}

export class Waits {
    private readonly first: Int32Array; // of each rank; one more for the end

    constructor(private readonly run: Run) {
        const ranks = run.columns.get("waits.rank")!;
        this.first = Int32Array.from({ length: run.header.ranks + 1 }, (_, rank) => upper(ranks, rank - 1));
    }

    get size(): number {
        return this.first[this.first.length - 1];
    }

    // Those of a rank that overlap a time interval.
    *between(rank: number, from: number, to: number): Generator<Wait> {
        const column = (name: string) => this.run.columns.get(`waits.${name}`)!;
        const [begins, lengths, kinds] = ["begin", "length", "kind"].map(column);
        for (let i = this.first[rank]; i < this.first[rank + 1] && begins[i] < to; ++i) {
            if (begins[i] + lengths[i] > from) yield { begin: begins[i], end: begins[i] + lengths[i], name: names[kinds[i]] };
        }
    }
}
