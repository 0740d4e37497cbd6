// The replay: a cursor moves through simulated time while messages travel and ranks fill up.
import { button, element } from "./dom";
import { exact, time } from "./format";
import type { Timeline } from "./timeline";

const usualSeconds = 12; // duration of a whole run at speed 1

export class Replay {
    readonly bar = element("div", { class: "bar replay" });
    playing = false;
    speed = 1;
    private before = 0;
    private readonly toggle: HTMLButtonElement;
    private readonly slider = element("input", {
        type: "range", min: "0", max: "10000", value: "10000", "data-test": "scrub", "aria-label": "Time of the replay",
    });
    private readonly now = element("output", { "data-test": "now" });
    readonly listeners: (() => void)[] = []; // called when its time changes

    constructor(private readonly timeline: Timeline) {
        this.toggle = button("\u25b6 Replay", "Play or pause (space)", "play", () => this.flip());
        const speeds = element("select", { "data-test": "speed", "aria-label": "Speed of the replay" });
        for (const speed of [0.1, 0.25, 0.5, 1, 2, 4]) {
            const option = element("option", { value: String(speed) }, `\u00d7 ${speed}`);
            option.selected = speed === 1;
            speeds.append(option);
        }
        speeds.addEventListener("change", () => (this.speed = Number(speeds.value)));
        this.slider.addEventListener("input", () => this.seek((Number(this.slider.value) / 10000) * timeline.view.end));
        const stop = button("\u2715", "End the replay (Escape)", "stop", () => this.stop());
        this.bar.append(this.toggle, speeds, this.slider, this.now, stop);
        timeline.onSeek = (at) => this.seek(at);
        this.show();
    }

    flip(): void {
        const { view } = this.timeline;
        if (!this.playing && (view.cursor < 0 || view.cursor >= view.end)) view.cursor = 0;
        this.playing = !this.playing;
        this.before = performance.now();
        this.show();
        if (this.playing) requestAnimationFrame(() => this.step());
    }
    seek(at: number): void {
        const { view } = this.timeline;
        view.cursor = Math.max(0, Math.min(view.end, at));
        this.show();
    }
    stop(): void {
        this.playing = false;
        this.timeline.view.cursor = -1;
        this.show();
    }

    private step(): void {
        if (!this.playing) return;
        const { view } = this.timeline;
        const now = performance.now();
        // A page that was hidden continues where it was.
        const passed = Math.min(100, now - this.before);
        this.before = now;
        view.cursor = Math.min(view.end, view.cursor + (passed / 1000 / usualSeconds) * this.speed * view.end);
        // The view follows the cursor if only a part of the run is visible.
        if (view.cursor > view.to || view.cursor < view.from) view.show(view.cursor, view.cursor + view.length);
        if (view.cursor >= view.end) this.playing = false;
        this.show();
        if (this.playing) requestAnimationFrame(() => this.step());
    }

    private show(): void {
        const { view } = this.timeline;
        const at = view.cursor < 0 ? view.end : view.cursor;
        this.toggle.textContent = this.playing ? "\u23f8 Pause" : "\u25b6 Replay";
        this.toggle.setAttribute("aria-pressed", String(this.playing));
        this.slider.value = String(view.end === 0 ? 0 : Math.round((at / view.end) * 10000));
        this.slider.setAttribute("aria-valuetext", time(at));
        this.now.textContent = time(at);
        this.now.title = exact(Math.round(at));
        this.timeline.request();
        this.listeners.forEach((act) => act());
    }
}
