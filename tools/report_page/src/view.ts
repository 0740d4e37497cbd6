// The visible part of the timeline: a time interval, the height of rows and the scroll position.

export class View {
    from = 0;
    to: number;
    scroll = 0; // in pixels
    height = 18; // lane height in pixels
    cursor = -1; // time of the replay; negative: none
    changed: () => void = () => {};

    constructor(readonly end: number) {
        this.to = end;
    }

    get length(): number {
        return this.to - this.from;
    }

    show(from: number, to: number): void {
        const margin = this.end * 0.02;
        const length = Math.min(Math.max(to - from, Math.min(20, this.end)), this.end + 2 * margin);
        const middle = (from + to) / 2;
        this.from = Math.min(Math.max(middle - length / 2, -margin), this.end + margin - length);
        this.to = this.from + length;
        this.changed();
    }
    all(): void {
        this.show(0, this.end);
    }
    zoom(factor: number, around = (this.from + this.to) / 2): void {
        this.show(around - (around - this.from) * factor, around + (this.to - around) * factor);
    }
    pan(share: number): void {
        const by = this.length * share;
        this.show(this.from + by, this.to + by);
    }
    bring(begin: number, end: number): void {
        if (begin >= this.from && end <= this.to && end - begin > this.length / 200) return;
        const around = Math.max((end - begin) * 4, Math.min(this.length, this.end / 20));
        const middle = (begin + end) / 2;
        this.show(middle - around / 2, middle + around / 2);
    }
}
