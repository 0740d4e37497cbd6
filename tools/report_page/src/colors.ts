// Colours of spans: the Okabe-Ito palette, which is safe for colour-blind readers. Waiting also has a pattern.

// The kinds of activity that time is spent on.
export const Class = { compute: 0, send: 1, receive: 2, collective: 3, checkpoint: 4, waiting: 5 } as const;
export const classNames = ["compute", "send", "receive", "collective", "checkpoint", "waiting"];
export const classes = classNames.length;

const okabeIto = {
    light: ["#0072B2", "#E69F00", "#56B4E9", "#009E73", "#CC79A7"],
    dark: ["#3B97D3", "#F0B22E", "#7CC8F2", "#2BBF94", "#E3A0C5"],
};

export interface Theme {
    dark: boolean;
    background: string;
    row: string; // background of every other rank
    text: string;
    faint: string;
    line: string;
    waiting: string;
    path: string; // the critical path, and logs
    veil: string; // the future in a replay
    mark: string;
    classes: string[];
    shades: string[];
}

// Shades of compute, for labels that differ by more than a number.
const shades = { light: ["#0072B2", "#4c9bd1", "#004c78", "#7fa8c4"], dark: ["#3B97D3", "#1f6fa8", "#8cc4ea", "#5b7f9b"] };

export function isDark(): boolean {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

export function theme(): Theme {
    return isDark()
        ? {
              dark: true, background: "#15181d", row: "#1a1e24", text: "#e6e8eb", faint: "#98a1ac", line: "#323944",
              waiting: "#5a636f", path: "#ff7ac6", veil: "rgba(21,24,29,0.80)", mark: "#ffffff",
              classes: [...okabeIto.dark, "#39414c"], shades: shades.dark,
          }
        : {
              dark: false, background: "#ffffff", row: "#f7f8f9", text: "#1c2024", faint: "#5f6b76", line: "#dfe3e7",
              waiting: "#9aa4ae", path: "#b3146f", veil: "rgba(255,255,255,0.82)", mark: "#000000",
              classes: [...okabeIto.light, "#e4e8ec"], shades: shades.light,
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
