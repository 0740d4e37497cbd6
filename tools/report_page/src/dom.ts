// Elements of the page. Texts are set as text, never as HTML, because names come from files and may contain anything.

type Child = Node | string | null;

export function element<Tag extends keyof HTMLElementTagNameMap>(
    tag: Tag,
    properties: Record<string, string> = {},
    ...children: Child[]
): HTMLElementTagNameMap[Tag] {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
        if (name === "class") made.className = value;
        else made.setAttribute(name, value);
    }
    for (const child of children) if (child !== null) made.append(child);
    return made;
}

export function section(id: string, title: string, about: string): HTMLElement {
    const made = element("section", { id, "data-test": id, "aria-labelledby": `${id}-title` });
    made.append(element("h2", { id: `${id}-title` }, title));
    if (about !== "") made.append(element("p", { class: "about" }, about));
    return made;
}

// What a page says first.
export function sentence(test: string, text: string): HTMLElement | string {
    return text === "" ? "" : element("p", { class: "sentence", "data-test": test }, name(text.replaceAll(" %", "\u00a0%"), 4000));
}

export function button(text: string, title: string, test: string, act: () => void): HTMLButtonElement {
    const made = element("button", { type: "button", title, "data-test": test }, text);
    made.addEventListener("click", act);
    return made;
}

// Long names would break the layout, so they are cut; the title has them in full.
export function clipped(text: string, most = 120): string {
    return text.length <= most ? text : `${text.slice(0, most - 1)}\u2026`;
}

// A name from outside, isolated so that its writing direction ends with it.
export function name(text: string, most = 120): HTMLElement {
    const made = element("bdi", {}, clipped(text, most));
    if (text.length > most) made.title = text.slice(0, 2000);
    return made;
}

// An entry of a legend: its colour, by CSS class, and its name, which stay together.
export function swatched(of: string, title: Node | string): HTMLElement {
    return element("span", { class: "swatched" }, element("span", { class: `swatch ${of}` }), title);
}

export function remembered(key: string): string | null {
    try {
        return localStorage.getItem(`ndsim.${key}`);
    } catch {
        return null; // a page opened from disk may have no storage
    }
}

export function remember(key: string, value: string): void {
    try {
        localStorage.setItem(`ndsim.${key}`, value);
    } catch {
        // Without storage the choice lasts as long as the page.
    }
}
