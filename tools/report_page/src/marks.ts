// Marks: what people chose to see on the timeline, and what they point at.

export interface Marks {
    hovered: number; // spans of `run`; -1: none
    selected: number;
    run: number;
    searching: boolean;
    found: Set<number>[]; // labels, for each run
    messages: boolean;
    path: boolean;
}
