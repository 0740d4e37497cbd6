// Geometry: positions of times, ranks and spans on the canvas.
import type { Run } from "./data";
import type { Layout, RankRow } from "./lanes";
import type { View } from "./view";

export let gutter = 132; // width of rank names in pixels

// Fits the longest name, except very long ones.
export function fitGutter(names: string[], context: CanvasRenderingContext2D): void {
    context.font = "12px system-ui, sans-serif";
    gutter = names.reduce((widest, one) => Math.max(widest, Math.min(260, 26 + Math.ceil(context.measureText(one.slice(0, 60)).width))), 132);
}
export const axis = 26; // height of the axis in pixels
export const heading = 24; // above each run if there are several
const gap = 4; // between ranks

export interface Place {
    row: RankRow;
    y: number; // position of its first lane on the canvas
}

export class Geometry {
    places: Place[] = []; // by run and rank
    height = 0; // height of all rows
    width = 1; // width of the rows in pixels
    private first: number[] = []; // place of each run's rank 0

    constructor(readonly canvas: HTMLCanvasElement, private readonly runs: Run[], private readonly layout: Layout, readonly view: View) {}

    // Must be called before each picture, and before looking up anything on the canvas.
    refresh(): void {
        this.width = Math.max(1, this.canvas.clientWidth - gutter);
        this.height = this.layout.ranks.reduce((sum, row) => sum + row.lanes.length * this.view.height + this.between, 2 * gap);
        if (this.runs.length > 1) this.height += heading * this.runs.length;
        const most = this.height + axis - this.canvas.clientHeight;
        this.view.scroll = Math.max(0, Math.min(this.view.scroll, most));
        this.places = [];
        this.first = [];
        let y = gap + axis - this.view.scroll;
        for (const row of this.layout.ranks) {
            if (row.rank === 0) {
                this.first[row.run] = this.places.length;
                if (this.runs.length > 1) y += heading;
            }
            this.places.push({ row, y });
            y += row.lanes.length * this.view.height + this.between;
        }
    }
    private get between(): number {
        return this.view.height > 6 ? gap : 1;
    }
    // Vertical distance between a span and the edge of its lane.
    get inset(): number {
        return this.view.height > 6 ? 2 : this.view.height > 3 ? 1 : 0;
    }

    x(time: number): number {
        return gutter + ((time - this.view.from) / this.view.length) * this.width;
    }
    time(x: number): number {
        return this.view.from + ((x - gutter) / this.width) * this.view.length;
    }
    get seen(): Place[] {
        const height = this.canvas.clientHeight;
        return this.places.filter(({ row, y }) => y < height && y + row.lanes.length * this.view.height > axis);
    }
    placeOf(run: number, rank: number): Place {
        return this.places[this.first[run] + rank];
    }
    // The upper edge of the lane of a span.
    top(run: number, span: number): number {
        const place = this.placeOf(run, this.runs[run].rank[span]);
        return place.y + Math.max(0, this.layout.laneOf[run][span]) * this.view.height;
    }
    edge(run: number, span: number, lower: boolean): number {
        return this.top(run, span) + (lower ? this.view.height - this.inset : 0);
    }
    middle(run: number, span: number): number {
        return this.top(run, span) + (this.view.height - this.inset) / 2;
    }
}
