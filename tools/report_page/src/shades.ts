// Shades: computations whose labels differ by more than a number, such as forward and backward, look different.
import { Kind, type Run } from "./data";

export interface Shades {
    names: string[]; // labels of the shades in use, without numbers
    ofLabel: Int8Array; // shade of each label of the run
}

const most = 4;

// The labels with the most time have their own shades; all others share the last one.
export function shadesOf(run: Run): Shades {
    const plain = (label: string) => label.replace(/\d+/g, "").replace(/\s+/g, " ").replace(/ ,/g, ",").trim().slice(0, 60);
    const times = new Map<string, number>();
    // Passes have colours of their own.
    const others = new Set<string>();
    for (let span = 0; span < run.size; ++span) {
        const label = run.label[span];
        if (run.kind[span] === Kind.compute && run.header.passes[label] === "") others.add(run.header.labels[label]);
    }
    for (const sum of run.header.sums) {
        if (sum.kind === Kind.compute && others.has(sum.label)) times.set(plain(sum.label), (times.get(plain(sum.label)) ?? 0) + Number(sum.time));
    }
    const named = [...times.keys()].sort((a, b) => times.get(b)! - times.get(a)!).slice(0, times.size > most ? most - 1 : most);
    const names = times.size > most ? [...named, "others"] : named;
    const ofLabel = Int8Array.from(run.header.labels, (label) => {
        const at = named.indexOf(plain(label));
        return at < 0 ? names.length - 1 : at;
    });
    return { names, ofLabel };
}
