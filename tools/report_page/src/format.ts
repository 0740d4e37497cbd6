// Formats numbers for people.
import { Measure } from "./data";

const timeUnits: [number, string][] = [
    [1e12, "s"],
    [1e9, "ms"],
    [1e6, "\u00b5s"],
    [1e3, "ns"],
    [1, "ps"],
];

function unitOf(picoseconds: number): [number, string] {
    const size = Math.abs(picoseconds);
    return timeUnits.find(([scale]) => size >= scale) ?? timeUnits[timeUnits.length - 1];
}

// Four significant digits: "1.234 ms".
export function time(picoseconds: number): string {
    if (picoseconds === 0) return "0 s";
    const [scale, unit] = unitOf(picoseconds);
    return `${shortened(picoseconds / scale)} ${unit}`;
}

// The label of an axis tick, with enough digits to tell it from its neighbours.
export function tick(picoseconds: number, step: number): string {
    if (picoseconds === 0) return "0";
    const [scale, unit] = unitOf(picoseconds);
    const digits = Math.max(0, Math.min(12, Math.ceil(-Math.log10(step / scale) - 1e-9)));
    return `${(picoseconds / scale).toFixed(digits)} ${unit}`;
}

// All digits, in seconds: "0.000 025 000 000 s".
export function exact(picoseconds: string | number): string {
    const digits = BigInt(picoseconds);
    const text = (digits < 0n ? -digits : digits).toString().padStart(13, "0");
    const parts = text.slice(-12).match(/.{3}/g)!.join("\u2009");
    return `${digits < 0n ? "\u2212" : ""}${text.slice(0, -12)}.${parts} s`;
}

function shortened(value: number): string {
    const size = Math.abs(value);
    return value.toFixed(size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3);
}

const prefixes = ["", "k", "M", "G", "T", "P", "E"];

export function amount(value: number, unit: string): string {
    let power = 0;
    while (Math.abs(value) >= 1000 && power + 1 < prefixes.length) {
        value /= 1000;
        ++power;
    }
    const text = Number.isInteger(value) && Math.abs(value) < 1000 ? String(value) : value.toPrecision(4);
    return `${text.includes("e") ? Number(text) : text} ${prefixes[power]}${unit}`;
}

// Units are counted in billionths.
export function measured(value: number, measure: number): string {
    if (measure === Measure.units) return `${Number((value / 1e9).toPrecision(12))} units`;
    if (measure === Measure.picoseconds) return time(value);
    return amount(value, measure === Measure.bytes ? "B" : "FLOP");
}

export function whole(value: number | string): string {
    return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, "\u2009");
}

export function percent(part: number, all: number): string {
    return all === 0 ? "\u2013" : `${((100 * part) / all).toFixed(1)} %`;
}
