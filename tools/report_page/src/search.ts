// Search by label: matches stay bright, and Enter moves from one to the next.
import { Kind, type Run } from "./data";
import { button, element } from "./dom";
import { whole } from "./format";
import type { Timeline } from "./timeline";

export class Search {
    readonly field = element("input", {
        type: "search", placeholder: "Search labels", "aria-label": "Search labels", "data-test": "search", spellcheck: "false",
    });
    readonly parts: Node[];
    private readonly count = element("output", { class: "faint", "data-test": "found" });
    private found: { run: number; span: number }[] = [];
    private at = -1;

    constructor(private readonly runs: Run[], private readonly timeline: Timeline) {
        this.field.addEventListener("input", () => this.look());
        this.field.addEventListener("keydown", (event) => {
            if (event.key === "Enter") this.go(event.shiftKey ? -1 : 1);
            if (event.key === "Escape") {
                this.field.value = "";
                this.look();
                timeline.canvas.focus();
            }
        });
        this.parts = [
            this.field,
            button("\u2039", "The one before (Shift Enter)", "previous", () => this.go(-1)),
            button("\u203a", "The next one (Enter)", "next", () => this.go(1)),
            this.count,
        ];
    }

    get size(): number {
        return this.found.length;
    }

    look(): void {
        const wanted = this.field.value.trim().toLowerCase();
        const { marks } = this.timeline;
        this.found = [];
        this.at = -1;
        marks.searching = wanted !== "";
        this.runs.forEach((run, index) => {
            const labels = new Set<number>();
            run.header.labels.forEach((label, i) => {
                if (wanted !== "" && label.toLowerCase().includes(wanted)) labels.add(i);
            });
            marks.found[index] = labels;
            for (let span = 0; labels.size > 0 && span < run.size; ++span) {
                if (labels.has(run.label[span]) && run.kind[span] !== Kind.allocate) this.found.push({ run: index, span });
            }
        });
        this.found.sort((a, b) => this.runs[a.run].begin[a.span] - this.runs[b.run].begin[b.span]);
        this.count.textContent = wanted === "" ? "" : `${whole(this.found.length)} found`;
        this.timeline.request();
    }

    go(by: number): void {
        if (this.found.length === 0) return;
        this.at = (this.at + by + this.found.length) % this.found.length;
        const { run, span } = this.found[this.at];
        this.timeline.choose(run, span);
        this.count.textContent = `${whole(this.at + 1)} of ${whole(this.found.length)}`;
    }
}
