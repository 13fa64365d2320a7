"use strict";
const body = document.querySelector("#files tbody");
const rows = [...body.rows];
const tools = document.querySelector("#tools");
const words = new Intl.Collator(undefined, { numeric: true });
const texts = new Map(rows.map(row => [row, row.cells[1].textContent.toLowerCase()]));
const named = key => key === "path" || key === "outcome" || key === "rung";
const value = (row, key) => key === "path" ? texts.get(row) : row.dataset[key];

function sort(header, key) {
    const down = header.getAttribute("aria-sort") === "ascending";
    for (const other of header.parentNode.cells) other.removeAttribute("aria-sort");
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

for (const button of document.querySelectorAll("thead button")) {
    button.addEventListener("click", () => sort(button.closest("th"), button.dataset.key));
}
tools.addEventListener("input", filter);
tools.addEventListener("submit", event => event.preventDefault());
filter();
