// Dark and light: follows the system until the reader chooses.
import { isDark } from "./colors";
import { remember, remembered } from "./dom";

const listeners: (() => void)[] = [];

export function onTheme(act: () => void): void {
    listeners.push(act);
}

export function flipTheme(): void {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    remember("theme", document.documentElement.dataset.theme);
    listeners.forEach((act) => act());
}

// Printing always uses the light theme, because paper is white.
function printLight(): void {
    let before: string | undefined;
    addEventListener("beforeprint", () => {
        before = document.documentElement.dataset.theme;
        document.documentElement.dataset.theme = "light";
        listeners.forEach((act) => act());
    });
    addEventListener("afterprint", () => {
        if (before === undefined) delete document.documentElement.dataset.theme;
        else document.documentElement.dataset.theme = before;
        listeners.forEach((act) => act());
    });
}

export function beginTheme(): void {
    printLight();
    const chosen = remembered("theme");
    if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => listeners.forEach((act) => act()));
}
