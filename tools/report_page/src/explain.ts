// The explanation of a run, as in `ndsim explain`: its sections, verdict first.
import { element, name, section } from "./dom";
import { labelledBar } from "./spent";
import { table, type Cell } from "./table";

type Value = number | string | null;
interface Shown {
    value: Value;
    text: string;
}
interface Figure extends Shown {
    name: string;
    unit: string;
    how: string;
}
interface Part {
    title: string;
    words: Record<string, string>;
    said: string[];
    figures: Record<string, Figure>;
    tables: Record<string, {
        title: string;
        columns: Record<string, { name: string; unit: string; how: string }>;
        rows: Record<string, Shown>[];
        note: string;
    }>;
    bar?: string | null; // the table of parts that is also drawn
    drawing: string[];
    notes: string[];
}
export interface Explanation {
    heading?: string; // title of a verdict
    explains: string;
    words: Record<string, string>;
    sections: Record<string, Part>;
}

const longest = 4000; // characters of a sentence

export function readExplanation(id: "explanation" | "verdict"): Explanation | null {
    return JSON.parse(document.getElementById(id)!.textContent!) as Explanation | null;
}

function cellOf({ value, text }: Shown): Cell {
    return value === null ? { text } : { text, value, exact: String(value) };
}

function isWords(unit: string): boolean {
    return unit === "words" || unit === "command";
}

function wordsOf(words: Record<string, string>): HTMLElement | null {
    const all = Object.entries(words);
    if (all.length === 0) return null;
    const list = element("dl", { class: "words" });
    for (const [word, meaning] of all) list.append(element("dt", {}, name(word)), element("dd", {}, name(meaning, longest)));
    return list;
}

function paragraphs(sentences: string[], test: string): HTMLElement[] {
    return sentences.map((sentence) => element("p", { class: "said", "data-test": test }, name(sentence, longest)));
}

// The bar of a table with the columns of parts: a key, a letter, a name, an amount and its share.
function barOf(rows: Record<string, Shown>[]): HTMLElement {
    return labelledBar(rows.map(({ key, mark, what, amount, share }) =>
        ({ of: `part-${key.text}`, title: what.text, mark: mark.text, share: Number(share.value), text: amount.text, percent: share.text })));
}

function partOf(key: string, part: Part): HTMLElement {
    const made = element("section", { class: "explained", "data-test": `explain-${key}` });
    made.append(wordsOf(part.words) ?? "", element("h3", {}, part.title), ...paragraphs(part.said, `explain-${key}-said`));
    if (part.bar) made.append(barOf(part.tables[part.bar].rows));
    // Omits texts that a sentence already contains.
    const figures = Object.values(part.figures).filter((figure) => !isWords(figure.unit) || !part.said.some((sentence) => sentence.includes(figure.text)));
    if (figures.length > 0) {
        made.append(table(`explain-${key}-figures`, "Figures", [{ title: "what", words: true }, { title: "value" }, { title: "how it was found", words: true }],
            figures.map((figure) => [{ text: figure.name }, cellOf(figure), { text: figure.how }]), figures.length));
    }
    for (const [id, one] of Object.entries(part.tables)) {
        const columns = Object.entries(one.columns);
        made.append(table(`explain-${key}-${id}`, one.title, columns.map(([, column]) => ({ title: column.name, words: isWords(column.unit) })),
            one.rows.map((row) => columns.map(([column]) => cellOf(row[column])))));
        if (one.note !== "") made.append(element("p", { class: "about" }, name(one.note, longest)));
    }
    if (part.drawing.length > 0) made.append(element("pre", { tabindex: "0", "data-test": `explain-${key}-drawing` }, part.drawing.join("\n")));
    made.append(...paragraphs(part.notes, `explain-${key}-notes`));
    return made;
}

// `drawn`: the page has a bar of the step's time, so that its drawing in letters is not needed.
export function verdictSection(explanation: Explanation, drawn: boolean): HTMLElement {
    const made = section("verdict", explanation.heading ?? "The step in short", "");
    made.append(...Object.entries(explanation.sections).map(([key, part]) => partOf(key, drawn ? { ...part, drawing: [] } : part)));
    return made;
}

export function explanationSection(explanation: Explanation): HTMLElement {
    const made = section("explanation", "Why it takes that long", "");
    made.append(element("p", { class: "about" }, "Explains ", element("code", {}, name(explanation.explains, longest))));
    made.append(wordsOf(explanation.words) ?? "", ...Object.entries(explanation.sections).map(([key, part]) => partOf(key, part)));
    return made;
}
