// Plain tables that are sorted by a click on a column's title.
import { button, element, name } from "./dom";

export interface Cell {
    text: string;
    value?: number | string; // sort key, if it is not the text
    exact?: string; // all digits, shown on hover, and for tests
}
export interface Column {
    title: string;
    words?: boolean; // text rather than numbers: aligned left
}

const atOnce = 12;
const longText = 24; // characters; a longer text may take several lines

export function table(test: string, caption: string, columns: Column[], rows: Cell[][], first = atOnce): HTMLElement {
    const body = element("tbody");
    const head = element("tr");
    const made = element("table", { "data-test": test }, element("caption", {}, caption), element("thead", {}, head), body);
    let shown = first;
    let sorted = rows;
    let by = -1;
    let ascending = true;
    const more = button("", "", `${test}-more`, () => {
        shown = Math.max(100, shown * 10);
        fill();
    });

    const fill = () => {
        body.replaceChildren(
            ...sorted.slice(0, shown).map((row) => {
                const line = element("tr");
                row.forEach((cell, i) => {
                    const shape = !columns[i].words ? "" : cell.text.length > longText ? "words long" : "words";
                    const made = element(i === 0 ? "th" : "td", shape === "" ? {} : { class: shape }, name(cell.text));
                    if (i === 0) made.setAttribute("scope", "row");
                    if (cell.exact !== undefined) {
                        made.dataset.exact = cell.exact;
                        made.title = cell.exact;
                    }
                    line.append(made);
                });
                return line;
            }),
        );
        more.hidden = sorted.length <= shown;
        more.textContent = `Show more of ${sorted.length} rows`;
    };
    const sortBy = (column: number) => {
        ascending = by === column ? !ascending : columns[column].words === true;
        by = column;
        sorted = [...rows].sort((a, b) => (ascending ? 1 : -1) * order(a[column], b[column]));
        [...head.children].forEach((cell, i) => {
            cell.setAttribute("aria-sort", i !== by ? "none" : ascending ? "ascending" : "descending");
        });
        fill();
    };
    columns.forEach((column, i) => {
        const cell = element("th", { scope: "col", "aria-sort": "none", ...(column.words ? { class: "words" } : {}) });
        cell.append(button(column.title, `Sort by ${column.title}`, `${test}-sort-${i}`, () => sortBy(i)));
        head.append(cell);
    });
    fill();
    return element("div", { class: "table" }, made, more);
}

function order(a: Cell, b: Cell): number {
    const [x, y] = [a.value ?? a.text, b.value ?? b.text];
    if (typeof x === "number" && typeof y === "number") return x - y;
    return String(x).localeCompare(String(y), "en", { numeric: true });
}
