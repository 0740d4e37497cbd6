// Elements of the page. Texts are set as text, never as HTML: names come from files and may hold anything.

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

export function button(text: string, title: string, test: string, act: () => void): HTMLButtonElement {
    const made = element("button", { type: "button", title, "data-test": test }, text);
    made.addEventListener("click", act);
    return made;
}

// Names shown in full would break the page where they are long: the rest is in the title.
export function clipped(text: string, most = 120): string {
    return text.length <= most ? text : `${text.slice(0, most - 1)}\u2026`;
}

// A name from outside: its direction of writing ends where it does.
export function name(text: string, most = 120): HTMLElement {
    const made = element("bdi", {}, clipped(text, most));
    if (text.length > most) made.title = text.slice(0, 2000);
    return made;
}

export function remembered(key: string): string | null {
    try {
        return localStorage.getItem(`ndsim.${key}`);
    } catch {
        return null; // a page from disk may have no storage
    }
}

export function remember(key: string, value: string): void {
    try {
        localStorage.setItem(`ndsim.${key}`, value);
    } catch {
        // The choice is forgotten with the page.
    }
}
