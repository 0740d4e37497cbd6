// Geometry: positions of times, ranks and spans on the canvas.
import { coordinatesOf, type Run } from "./data";
import type { Layout, RankRow } from "./lanes";
import type { View } from "./view";

export let gutter = 132; // width of rank names in pixels

export const coordinateFont = "10px system-ui, sans-serif";

// Fits the longest name with its coordinates, except very long ones. On a narrow screen, the spans need the room.
export function fitGutter(runs: Run[], context: CanvasRenderingContext2D): void {
    const width = (text: string, font: string) => ((context.font = font), text === "" ? 0 : Math.ceil(context.measureText(text.slice(0, 60)).width));
    gutter = 132;
    for (const run of runs) {
        run.header.rank_names.forEach((one, rank) => {
            const coordinates = width(coordinatesOf(run, rank), coordinateFont);
            gutter = Math.max(gutter, Math.min(260, 26 + width(one, "12px system-ui, sans-serif") + coordinates));
        });
    }
    if (innerWidth < 700) gutter = Math.min(gutter, 96);
}
export const axis = 26; // height of the axis in pixels
export const heading = 22; // of a run or a group, above its first rank
const gap = 4; // between ranks

export interface Place {
    row: RankRow;
    y: number; // position of its first lane on the canvas
}

export class Geometry {
    places: Place[] = []; // from top to bottom
    height = 0; // height of all rows
    width = 1; // width of the rows in pixels
    private pinned = 0; // lower edge of the pinned rows; 0: none
    private placesOf: Place[][] = []; // by run and rank

    constructor(readonly canvas: HTMLCanvasElement, private readonly runs: Run[], private readonly layout: Layout, readonly view: View) {}

    // Must be called before each picture, and before looking up anything on the canvas.
    refresh(): void {
        this.width = Math.max(1, this.canvas.clientWidth - gutter);
        this.height = this.layout.ranks.reduce((sum, row) => sum + row.headings.length * heading + row.lanes.length * this.view.height + this.between, 2 * gap);
        const most = this.height + axis - this.canvas.clientHeight;
        this.view.scroll = Math.max(0, Math.min(this.view.scroll, most));
        this.places = [];
        this.placesOf = this.runs.map(() => []);
        let y = gap + axis;
        this.pinned = axis;
        for (const row of this.layout.ranks) {
            if (!row.pinned && this.pinned === axis) {
                // The others scroll beneath those that are pinned.
                this.pinned = y > gap + axis ? y : 0;
                y -= this.view.scroll;
            }
            y += row.headings.length * heading;
            const place = { row, y };
            this.places.push(place);
            this.placesOf[row.run][row.rank] = place;
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
        return this.places.filter(({ row, y }) => y < height && (row.pinned || y >= this.pinned) && y + row.lanes.length * this.view.height > axis);
    }
    placeOf(run: number, rank: number): Place {
        return this.placesOf[run][rank];
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
