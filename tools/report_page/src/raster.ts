// Rows with more spans than pixels: each pixel mixes the colours of the time that it covers.
import { channels, Class, classes, type Theme } from "./colors";
import type { Run } from "./data";
import { spentUntil, upper, type Lane } from "./lanes";

export class Raster {
    private readonly image: ImageData;
    private readonly pixels: Uint32Array;
    private readonly colors: [number, number, number][];
    private readonly paper: [number, number, number];
    private readonly hatch: number;
    private readonly before = new Float64Array(classes);
    private readonly now = new Float64Array(classes);
    // The colours of a pixel; the second one is drawn as stripes. 0: nothing happens there.
    private plain = 0;
    private striped = 0;
    used = false;

    constructor(readonly width: number, readonly height: number, readonly theme: Theme) {
        this.image = new ImageData(width, height);
        this.pixels = new Uint32Array(this.image.data.buffer);
        this.colors = theme.classes.map(channels);
        this.paper = channels(theme.background);
        this.hatch = packed(...channels(theme.waiting));
    }

    clear(): void {
        if (this.used) this.pixels.fill(0);
        this.used = false;
    }

    // Draws a row of `height` pixels from `top`; pixel 0 begins at `from`, and each covers `step`.
    row(run: Run, lane: Lane, top: number, height: number, from: number, step: number): void {
        this.used = true;
        let [before, now] = [this.before, this.now];
        let after = upper(lane.begin, from);
        spentUntil(run, lane, from, after, before);
        const first = Math.max(0, top);
        const last = Math.min(this.height, top + height);
        for (let x = 0; x < this.width; ++x) {
            const until = from + (x + 1) * step;
            after = upper(lane.begin, until, after);
            spentUntil(run, lane, until, after, now);
            this.mix(before, now, step);
            if (this.plain !== 0) {
                for (let y = first; y < last; ++y) {
                    this.pixels[y * this.width + x] = (x + y) % 6 < 2 ? this.striped : this.plain;
                }
            }
            const other = before;
            before = now;
            now = other;
        }
    }

    put(context: CanvasRenderingContext2D, left: number): void {
        if (this.used) context.putImageData(this.image, left, 0);
    }

    // Stripes appear where waiting takes most of the time.
    private mix(before: Float64Array, now: Float64Array, step: number): void {
        let [r, g, b, all] = [0, 0, 0, 0];
        for (let c = 0; c < classes; ++c) {
            const share = Math.max(0, now[c] - before[c]) / step;
            const color = this.colors[c];
            all += share;
            r += share * color[0];
            g += share * color[1];
            b += share * color[2];
        }
        this.plain = this.striped = 0;
        if (all < 1e-9) return;
        // Anything present is visible, however short: at least a quarter of the colour.
        const shown = Math.min(1, Math.max(0.25, all));
        const weight = shown / all;
        const gap = 1 - shown;
        this.plain = packed(r * weight + gap * this.paper[0], g * weight + gap * this.paper[1], b * weight + gap * this.paper[2]);
        this.striped = (now[Class.waiting] - before[Class.waiting]) / step > 0.5 ? this.hatch : this.plain;
    }
}

// Byte order of ImageData on little-endian machines, that is on all that run browsers today.
function packed(r: number, g: number, b: number): number {
    return ((255 << 24) | (Math.round(b) << 16) | (Math.round(g) << 8) | Math.round(r)) >>> 0;
}
