// Rows with more spans than pixels: each pixel has the mix of colours of the time that it covers.
import { channels, Class, classes, type Theme } from "./colors";
import type { Run } from "./data";
import { spentUntil, upper, type Lane } from "./lanes";

export class Raster {
    private readonly image: ImageData;
    private readonly pixels: Uint32Array;
    private readonly colors: [number, number, number][];
    private readonly paper: [number, number, number];
    private readonly hatch: [number, number, number];
    used = false;

    constructor(readonly width: number, height: number, theme: Theme) {
        this.image = new ImageData(width, height);
        this.pixels = new Uint32Array(this.image.data.buffer);
        this.colors = theme.classes.map(channels);
        this.paper = channels(theme.background);
        this.hatch = channels(theme.waiting);
    }

    // A row of `height` pixels from `top` on; pixel 0 begins at `from`, and each covers `step`.
    row(run: Run, lane: Lane, top: number, height: number, from: number, step: number): void {
        this.used = true;
        let before = new Float64Array(classes);
        let now = new Float64Array(classes);
        let after = upper(lane.begin, from);
        spentUntil(run, lane, from, after, before);
        const first = Math.max(0, top);
        const last = Math.min(this.image.height, top + height);
        for (let x = 0; x < this.width; ++x) {
            const until = from + (x + 1) * step;
            after = upper(lane.begin, until, after);
            spentUntil(run, lane, until, after, now);
            const [plain, striped] = this.mix(before, now, step);
            if (plain !== 0) {
                for (let y = first; y < last; ++y) {
                    this.pixels[y * this.width + x] = (x + y) % 6 < 2 ? striped : plain;
                }
            }
            [before, now] = [now, before];
        }
    }

    put(context: CanvasRenderingContext2D, left: number): void {
        if (this.used) context.putImageData(this.image, left, 0);
    }

    // Two colours, of which the second is drawn as stripes where waiting takes most of the time. 0: nothing happens.
    private mix(before: Float64Array, now: Float64Array, step: number): [number, number] {
        let r = 0, g = 0, b = 0, all = 0;
        for (let c = 0; c < classes; ++c) {
            const share = Math.max(0, now[c] - before[c]) / step;
            all += share;
            r += share * this.colors[c][0];
            g += share * this.colors[c][1];
            b += share * this.colors[c][2];
        }
        if (all < 1e-9) return [0, 0];
        const rest = Math.max(0, 1 - all);
        const scale = all > 1 ? 1 / all : 1;
        // Whatever is there is seen, however short it is.
        const least = all < 0.25 ? 0.25 / all : 1;
        const weight = scale * least;
        const gap = all < 0.25 ? 0.75 : rest;
        const mixed = [r, g, b].map((sum, i) => sum * weight + gap * this.paper[i]);
        const waits = (now[Class.waiting] - before[Class.waiting]) / step > 0.5;
        return [packed(mixed), packed(waits ? this.hatch : mixed)];
    }
}

// As ImageData orders its bytes on every machine that has a browser today.
function packed([r, g, b]: number[]): number {
    return ((255 << 24) | (Math.round(b) << 16) | (Math.round(g) << 8) | Math.round(r)) >>> 0;
}
