// Colours of spans: the Okabe-Ito palette, which is safe for colour-blind readers, and a pair of colours for each
// micro-batch. Waiting also has a pattern.

// The kinds of activity that time is spent on.
export const Class = { compute: 0, send: 1, receive: 2, collective: 3, checkpoint: 4, waiting: 5 } as const;
export const classNames = ["compute", "send", "receive", "collective", "checkpoint", "waiting"];
export const classes = classNames.length;
const passColors = 6; // micro-batches in different colours

export interface Theme {
    background: string;
    text: string;
    faint: string;
    line: string;
    waiting: string;
    path: string; // the critical path, and logs
    veil: string; // the future in a replay
    mark: string;
    classes: string[];
    shades: string[]; // of compute, for labels that differ by more than a number
    series: string[]; // of curves
    passes: Record<string, string>; // by their name in a header
}

export function isDark(): boolean {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

// The colours are those of page.css, for the theme in use.
export function theme(): Theme {
    const style = getComputedStyle(document.documentElement);
    const color = (name: string) => style.getPropertyValue(`--${name}`).trim();
    const passes = ["f", "b"].flatMap((way) => Array.from({ length: passColors }, (_, i) => `${way}${i}`));
    return {
        background: color("paper"), text: color("ink"), faint: color("faint"), line: color("line"), waiting: color("waiting"),
        path: color("path"), veil: `${color("paper")}d0`, mark: color("ink"),
        classes: [...classNames.slice(0, Class.waiting), "idle"].map(color),
        shades: ["compute", "shade-1", "shade-2", "shade-3"].map(color),
        series: Array.from({ length: 8 }, (_, i) => color(`series-${i}`)),
        passes: Object.fromEntries(passes.map((name) => [name, color(name)])),
    };
}

export function channels(hex: string): [number, number, number] {
    const value = parseInt(hex.slice(1), 16);
    return [value >> 16, (value >> 8) & 255, value & 255];
}

// Returns black or white, whichever is more legible on the colour.
export function inkOn(hex: string): string {
    const [r, g, b] = channels(hex);
    return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? "#101418" : "#ffffff";
}

export function hatch(context: CanvasRenderingContext2D, ink: string, paper: string): CanvasPattern {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 6;
    const brush = tile.getContext("2d")!;
    brush.fillStyle = paper;
    brush.fillRect(0, 0, 6, 6);
    brush.strokeStyle = ink;
    brush.lineWidth = 1.2;
    brush.beginPath();
    for (const offset of [-6, 0, 6]) {
        brush.moveTo(offset - 1, 7);
        brush.lineTo(offset + 7, -1);
    }
    brush.stroke();
    return context.createPattern(tile, "repeat")!;
}
