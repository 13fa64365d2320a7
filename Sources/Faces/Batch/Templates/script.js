"use strict";
const body = document.querySelector("#files tbody");
const rows = [...body.rows];
const buttons = [...document.querySelectorAll("thead button")];
const tools = document.querySelector("#tools");
const words = new Intl.Collator(undefined, { numeric: true });
const texts = new Map(rows.map(row => [row, row.cells[1].textContent.toLowerCase()]));
const named = key => key === "path" || key === "outcome" || key === "rung";
const value = (row, key) => key === "path" ? texts.get(row) : row.dataset[key];

function sort(key, down) {
    tools.elements.sort.value = key;
    tools.elements.down.checked = down;
    for (const button of buttons) button.closest("th").removeAttribute("aria-sort");
    const header = buttons.find(button => button.dataset.key === key).closest("th");
    header.setAttribute("aria-sort", down ? "descending" : "ascending");
    const sign = down ? -1 : 1;
    rows.sort((a, b) => {
        const [x, y] = [value(a, key), value(b, key)];
        // What a file doesn't have comes last in either order.
        if (x === "" || y === "") return (x === "") - (y === "");
        return sign * (named(key) ? words.compare(x, y) : x - y);
    });
    body.append(...rows);
}

function filter() {
    const find = tools.elements.find.value.trim().toLowerCase();
    let shown = 0;
    for (const row of rows) {
        const box = tools.elements[row.dataset.outcome];
        row.hidden = Boolean(box && !box.checked) || !texts.get(row).includes(find);
        if (!row.hidden) shown += 1;
    }
    document.querySelector("#shown").textContent = shown + " of " + rows.length + " shown";
    document.querySelector("#nothing").hidden = shown > 0;
    document.body.classList.toggle("sheet", tools.elements.sheet.checked);
}

// Without these, a browser that lays rows out as blocks would no longer tell that they are a table.
for (const [selector, role] of [["table", "table"], ["thead, tbody", "rowgroup"], ["tr", "row"], ["td", "cell"],
    ["thead th", "columnheader"], ["tbody th", "rowheader"]]) {
    for (const element of document.querySelectorAll(selector)) element.setAttribute("role", role);
}
for (const button of buttons) {
    const isUp = () => button.closest("th").getAttribute("aria-sort") === "ascending";
    button.addEventListener("click", () => sort(button.dataset.key, isUp()));
}
for (const name of ["sort", "down"]) {
    tools.elements[name].addEventListener("change", () => sort(tools.elements.sort.value, tools.elements.down.checked));
}
tools.addEventListener("input", filter);
tools.addEventListener("submit", event => event.preventDefault());
filter();
