"use strict";
// What pages with a table of functions share: it stands before the script of the page.
const data = JSON.parse(document.getElementById("data").textContent);
// how many columns of numbers stand to the left of the texts
const numbersOf = (table) => table.tHead.rows[0].querySelectorAll(".n").length;
// what a script's numbers cannot hold exactly comes as text
const exact = (value) => (typeof value === "string" ? BigInt(value) : value);
const grouped = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, "\u2009");

// The rows of a table with their place, their texts, and these in small letters.
function rowsOf(table) {
  const numbers = numbersOf(table);
  return Array.from(table.tBodies[0].rows, (row, place) => {
    const cells = Array.from(row.cells).slice(numbers);
    const texts = cells.map((cell) => (cell.title || cell.textContent).toLowerCase());
    return { row, place, texts };
  });
}

// Makes titles buttons that sort the rows by number(row, column) or text, and the field search
// them; `searched` is called with the words. Returns a function that sorts once more.
function sortAndSearch(table, rows, number, searched = () => {}) {
  const body = table.tBodies[0];
  const numbers = numbersOf(table);
  const headings = Array.from(table.tHead.rows[0].cells);
  const search = document.getElementById("search");
  const found = document.getElementById("found");
  let sorted = headings.findIndex((heading) => heading.hasAttribute("aria-sort"));
  let falling = sorted < numbers;

  function sort() {
    if (sorted < 0) return;
    const turn = falling ? -1 : 1;
    const key = (one) => (sorted < numbers ? number(one, sorted) : one.texts[sorted - numbers]);
    rows.sort((one, other) => {
      const a = key(one), b = key(other);
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
    for (const { row, texts } of rows) {
      const text = texts.join("\n");
      row.hidden = !words.every((word) => text.includes(word));
      count += !row.hidden;
    }
    found.textContent = words.length ? `${grouped(count)} of ${grouped(rows.length)}` : "";
    searched(words);
  });
  document.getElementById("tools").hidden = false;
  return sort;
}
