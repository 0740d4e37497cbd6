// Marks: what the reader has selected on the timeline, and what the pointer is on.

export interface Marks {
    hovered: number; // spans of `run`; -1: none
    selected: number;
    run: number;
    searching: boolean;
    found: Set<number>[]; // label numbers found, per run
    measured: { from: number; to: number } | null; // a stretch of time
    messages: boolean;
    path: boolean;
}
