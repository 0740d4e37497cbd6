// The list of keys, and the legend of the colours.
import { button, element } from "./dom";

export const keys: [string, string][] = [
    ["\u2190 \u2192, A D", "move in time"],
    ["\u2191 \u2193", "move between ranks"],
    ["+ \u2212, W S, wheel", "zoom in and out"],
    ["drag", "move in both directions"],
    ["Shift drag, M", "measure a stretch of time, the selected span, or what is visible"],
    ["click a name, K", "pin a rank to the top, or let it go"],
    ["0, Home", "show the whole run"],
    ["[ ]", "lower and higher rows"],
    ["Space", "play or pause the replay"],
    [", .", "one step back, one step on in the replay"],
    ["N P", "the next span of the rank, the one before"],
    ["F", "follow the message to its other end"],
    ["X", "messages on or off"],
    ["C", "critical path on or off"],
    ["/", "search; Enter: the next one"],
    ["T", "dark or light"],
    ["Escape", "close this, end the replay, choose nothing"],
    ["?", "this list"],
];

export class Help {
    readonly overlay = element("dialog", { "data-test": "help", "aria-labelledby": "help-title" });

    constructor() {
        const list = element("dl");
        for (const [key, what] of keys) list.append(element("dt", {}, key), element("dd", {}, what));
        this.overlay.append(
            element("h2", { id: "help-title" }, "Keys"),
            list,
            button("Close", "Close (Escape)", "help-close", () => this.overlay.close()),
        );
    }
    flip(): void {
        if (this.overlay.open) this.overlay.close();
        else this.overlay.showModal();
    }
}
