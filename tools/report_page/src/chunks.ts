// A collective told chunk by chunk: who holds what after each step. The steps come from the simulator's own schedule.
import type { Chunks, Run } from "./data";
import { button, element, section } from "./dom";

const playing = 900; // milliseconds a step
const colors = 6; // members in different colours
const mostMoves = 8; // told of a step

type Step = Chunks["steps"][0];

// "member 0 sends chunk 3 to 1, which adds it". Chunks have the numbers that they had on the members that sent them first.
function sentence([from, to, places, adds]: Step["moves"][0], held: Step["held"]): string {
    const sent = places.map((place) => held[to][place][0]);
    const what = sent.length === 1 ? `chunk ${sent[0]}` : `chunks ${sent.join(", ")}`;
    return `member ${from} sends ${what} to ${to}, which ${adds ? "adds" : "keeps"} ${sent.length === 1 ? "it" : "them"}`;
}

function sentences({ moves, held }: Step): string {
    const said = moves.slice(0, mostMoves).map((move) => sentence(move, held));
    return said.join("; ") + (moves.length > mostMoves ? `; and ${moves.length - mostMoves} more messages` : "");
}

// A block for each member whose data is added up in the chunk, and the same in words.
function cellOf({ members }: Chunks, place: number, [chunk, of]: [number, number[]], came: boolean): HTMLElement {
    const blocks = element("span", { class: "blocks", "aria-hidden": "true" });
    for (const member of of) blocks.append(element("span", { class: `block f${member % colors}` }));
    const sum = of.length === members && members > 1 ? "sum of all" : of.join(" + ");
    return element("td", { class: came ? "came" : "" }, blocks, chunk === place ? sum : `chunk ${chunk} of ${sum}`);
}

export function chunksSection(run: Run, index: number): HTMLElement | null {
    const { chunks } = run.header;
    if (chunks === undefined) return null;
    const { steps } = chunks;
    const last = steps.length - 1;
    const made = section(`chunks-${index}`, "The collective, chunk by chunk",
        `${chunks.name}, ${chunks.members} members, ${last} step${last === 1 ? "" : "s"}. Each cell says whose data a member holds for a chunk, one block of colour for each.`);
    const body = element("tbody");
    const head = element("tr", {}, element("th", { scope: "col" }, "member"));
    for (let chunk = 0; chunk < chunks.chunks; ++chunk) head.append(element("th", { scope: "col" }, `chunk ${chunk}`));
    const said = element("p", { class: "said", "data-test": `chunk-said-${index}`, "aria-live": "polite" });
    const slider = element("input", { type: "range", min: "0", max: String(last), value: "0", "aria-label": "Step of the collective", "data-test": `chunk-step-${index}` });
    let step = 0;
    let timer = 0;
    const show = () => {
        const { moves, held } = steps[step];
        const came = new Set(moves.flatMap(([, to, of]) => of.map((chunk) => `${to} ${chunk}`)));
        body.replaceChildren(...held.map((places, member) =>
            element("tr", {}, element("th", { scope: "row" }, String(member)), ...places.map((one, place) => cellOf(chunks, place, one, came.has(`${member} ${place}`))))));
        said.textContent = step === 0 ? "Before the first step, each member holds its own data." : `Step ${step} of ${last}: ${sentences(steps[step])}.`;
        slider.value = String(step);
        slider.setAttribute("aria-valuetext", `step ${step} of ${last}`);
        play.textContent = timer === 0 ? "\u25b6 Play" : "\u23f8 Pause";
    };
    const stop = () => (window.clearInterval(timer), (timer = 0));
    const go = (to: number) => {
        step = Math.max(0, Math.min(last, to));
        if (step === last) stop();
        show();
    };
    const flip = () => {
        if (timer !== 0) stop();
        else {
            timer = window.setInterval(() => go(step + 1), playing);
            if (step === last) step = 0;
        }
        show();
    };
    const play = button("", "Play or pause (space)", `chunk-play-${index}`, flip);
    slider.addEventListener("input", () => (stop(), go(Number(slider.value))));
    made.append(
        element("div", { class: "bar" }, play, button("\u2039", "One step back (left)", `chunk-back-${index}`, () => (stop(), go(step - 1))),
            button("\u203a", "One step on (right)", `chunk-on-${index}`, () => (stop(), go(step + 1))), slider),
        said,
        element("div", { class: "table", tabindex: "0", role: "group", "aria-label": "Who holds what" }, element("table", { class: "chunks", "data-test": `chunk-table-${index}` },
            element("caption", {}, "Who holds what"), element("thead", {}, head), body)));
    made.addEventListener("keydown", (event) => {
        const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (by === undefined || event.target === slider) return;
        event.preventDefault();
        event.stopPropagation();
        stop();
        go(step + by);
    });
    show();
    return made;
}
