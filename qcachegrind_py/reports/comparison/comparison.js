"use strict";
// Sorts and searches the functions that stand in the page.
(() => {
  const table = document.getElementById("table");
  const data = JSON.parse(document.getElementById("data").textContent);
  const numbers = 5; // columns to the left of the texts
  const body = table.tBodies[0];
  // what a script's numbers cannot hold exactly comes as text
  const exact = (value) => (typeof value === "string" ? BigInt(value) : value);
  const rows = Array.from(body.rows, (row, place) => {
    const texts = Array.from(row.cells).slice(numbers).map((cell) => cell.title || cell.textContent);
    return { row, place, keys: [...data[place].map(exact), ...texts.map((text) => text.toLowerCase())] };
  });
  const headings = Array.from(table.tHead.rows[0].cells);
  const search = document.getElementById("search");
  const found = document.getElementById("found");
  let sorted = -1;
  let falling = true;

  function sort() {
    const turn = falling ? -1 : 1;
    rows.sort((one, other) => {
      const a = one.keys[sorted], b = other.keys[sorted];
      if (a === null || b === null) return (a === null) - (b === null) || one.place - other.place;
      return a < b ? -turn : a > b ? turn : one.place - other.place;
    });
    body.append(...rows.map((one) => one.row));
    headings.forEach((heading, column) => {
      if (column === sorted) {
        heading.setAttribute("aria-sort", falling ? "descending" : "ascending");
      } else {
        heading.removeAttribute("aria-sort");
      }
    });
  }

  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = heading.textContent;
    heading.replaceChildren(button);
    button.addEventListener("click", () => {
      falling = sorted === column ? !falling : column < numbers;
      sorted = column;
      sort();
    });
  });
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { row, keys } of rows) {
      const text = keys.slice(numbers).join("\n");
      row.hidden = !words.every((word) => text.includes(word));
      count += !row.hidden;
    }
    found.textContent = words.length ? `${count} of ${rows.length}` : "";
  });
  document.getElementById("tools").hidden = false;
})();
