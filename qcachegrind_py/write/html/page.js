"use strict";
// Sorts, searches and zooms in what stands in the page; text is only ever set as text.
const data = JSON.parse(document.getElementById("data").textContent);
// how many columns of numbers stand to the left of the texts
const numbersOf = (table) => table.tHead.rows[0].querySelectorAll(".n").length;
// what a script's numbers cannot hold exactly comes as text
const exact = (value) => (typeof value === "string" ? BigInt(value) : value);
const trueMinus = (text) => text.replace("-", "\u2212");
const grouped = (value) => trueMinus(String(value).replace(/\B(?=(\d{3})+$)/g, "\u2009"));

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

// Zooms in the boxes of `picture` and moves among them by keys.
// `rows` has parent, depth, name, start and width of each box, in millionths of the whole. Returns
// functions that search the boxes, and that give them other starts and widths.
function flameGraph(picture, rows) {
  const told = document.getElementById("told");
  const all = Array.from(picture.children, (element, place) => {
    const [parent, depth, name, start, width] = rows[place];
    const box = { element, place, parent, depth, start, width, below: [] };
    box.name = name || element.textContent;
    return box;
  });
  for (const box of all) if (box.parent >= 0) all[box.parent].below.push(box);
  let zoomed = all[0];
  let current = all[0];
  let hit = null; // what the last click hit
  const before = []; // what clicks zoomed away from

  const isAround = (box) => {
    for (let at = zoomed.parent; at >= 0; at = all[at].parent) if (all[at] === box) return true;
    return false;
  };
  function draw() {
    const room = picture.clientWidth || 1000;
    const inside = [];
    for (const box of all) {
      inside.push(box === zoomed || Boolean(inside[box.parent]));
      const around = isAround(box);
      const shown = box.width > 0 && (around || inside[box.place]);
      const style = box.element.style;
      box.element.hidden = !shown;
      if (!shown) {
        style.display = "none";
        continue;
      }
      const left = around ? 0 : (box.start - zoomed.start) / zoomed.width;
      const width = around ? 1 : box.width / zoomed.width;
      style.display = "";
      style.left = `${100 * left}%`;
      style.width = `${100 * width}%`;
      box.element.classList.toggle("around", around);
      box.element.classList.toggle("t", width * room < 4);
      box.element.textContent = width * room < 28 ? "" : box.name;
    }
  }

  function tell(box) {
    const element = box.element;
    told.replaceChildren();
    if (element.hasAttribute("href")) {
      const link = document.createElement("a");
      link.href = element.getAttribute("href");
      link.textContent = "Go to function";
      told.append(element.title, " · ", link);
    } else {
      told.append(element.title);
    }
  }

  function goTo(box, focus) {
    if (!box || box.element.hidden) return;
    current.element.tabIndex = -1;
    current = box;
    box.element.tabIndex = 0;
    if (focus) box.element.focus();
    tell(box);
  }

  function zoomTo(box) {
    zoomed = box;
    draw();
    goTo(box, true);
  }

  function zoomIn(box) {
    if (box !== zoomed) before.push(zoomed);
    zoomTo(box);
  }

  // Return to where a click came from, or go to the box around.
  function zoomOut() {
    while (before.length) {
      const box = before.pop();
      if (box !== zoomed && isAround(box)) return zoomTo(box);
    }
    zoomTo(all[Math.max(0, zoomed.parent)]);
  }

  const beside = (step) => {
    const around = current.parent >= 0 ? all[current.parent].below : [];
    return around[around.indexOf(current) + step];
  };
  const boxOf = (element) => all[Array.prototype.indexOf.call(picture.children, element)];

  picture.addEventListener("click", (event) => {
    const element = event.target.closest("a");
    if (!element || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (event.detail > 1) return; // the first click may have brought another box here
    hit = boxOf(element);
    zoomIn(hit);
  });
  picture.addEventListener("dblclick", () => {
    if (hit && hit.element.hasAttribute("href")) location.hash = hit.element.getAttribute("href");
  });
  picture.addEventListener("mouseover", (event) => {
    const element = event.target.closest("a");
    if (element) tell(boxOf(element));
  });
  picture.addEventListener("focusin", (event) => goTo(boxOf(event.target), false));
  picture.addEventListener("keydown", (event) => {
    const ways = {
      ArrowDown: () => goTo(current.below[0], true),
      ArrowUp: () => goTo(all[current.parent], true),
      ArrowLeft: () => goTo(beside(-1), true),
      ArrowRight: () => goTo(beside(1), true),
      Home: () => goTo(all[0], true),
      Escape: zoomOut,
      " ": () => zoomIn(current),
      Enter: () => zoomIn(current),
    };
    if (ways[event.key]) {
      event.preventDefault();
      ways[event.key]();
    }
  });
  document.getElementById("all").addEventListener("click", () => zoomTo(all[0]));
  window.addEventListener("resize", draw);
  window.addEventListener("beforeprint", () => {
    zoomed = all[0];
    draw();
  });
  document.getElementById("zoom").hidden = false;
  draw();

  return {
    place(places) {
      all.forEach((box, at) => ([box.start, box.width] = places[at]));
      while (zoomed.width <= 0 && zoomed.parent >= 0) zoomed = all[zoomed.parent];
      draw();
      if (current.element.hidden) goTo(zoomed, false);
    },
    light(words) {
      for (const box of all) {
        const name = box.name.toLowerCase();
        const fits = words.every((word) => name.includes(word));
        box.element.classList.toggle("miss", words.length > 0 && !fits);
      }
    },
  };
}

(() => {
  const table = document.getElementById("table");
  const picture = document.getElementById("boxes");
  const flame = picture ? flames(picture) : null;
  const light = (words) => {
    if (flame) flame.light(words);
  };
  if (table && data.events) costs(table);
  if (table && data.rows) numbers(table);

  window.addEventListener("beforeprint", () => {
    for (const folded of document.querySelectorAll("details")) folded.open = true;
  });

  // A box has parent, depth and name, then start and width by each choice.
  function flames(picture) {
    const choices = Array.from(document.querySelectorAll("input[name=width]"));
    const placesOf = (choice) =>
      data.boxes.map((box) => box.slice(3 + 2 * choice, 5 + 2 * choice));
    const chosen = choices.find((choice) => choice.checked);
    const places = placesOf(chosen ? Number(chosen.value) : 0);
    const rows = data.boxes.map(([parent, depth, name], at) => [parent, depth, name, ...places[at]]);
    const flame = flameGraph(picture, rows);
    for (const choice of choices) {
      choice.addEventListener("change", () => flame.place(placesOf(Number(choice.value))));
    }
    return flame;
  }

  function numbers(table) {
    const rows = data.rows.map((row) => row.map(exact));
    sortAndSearch(table, rowsOf(table), (one, column) => rows[one.place][column], light);
  }

  // The costs of a profile in one event, and in another one if the reader chooses it.
  function costs(table) {
    const share = (value, whole) => (whole > 0 ? (100 * Number(value)) / Number(whole) : NaN);
    const percent = (value) => {
      if (Number.isNaN(value)) return "–";
      const text = value.toFixed(2);
      if (Number(text)) return trueMinus(text);
      return value > 0 ? "<0.01" : "";
    };
    const rows = rowsOf(table).map((one) => {
      const [called, inclusive, own] = data.functions[one.place];
      return { ...one, called, inclusive: inclusive.map(exact), own: own.map(exact) };
    });
    const totals = data.events.map((event) => exact(event.total));
    const chosen = document.getElementById("event");
    let event = data.event;
    const keys = [
      (one) => one.inclusive[event], (one) => one.inclusive[event],
      (one) => one.own[event], (one) => one.own[event], (one) => one.called,
    ];
    const sort = sortAndSearch(table, rows, (one, column) => keys[column](one), light);

    function writeCosts() {
      for (const one of rows) {
        [one.inclusive[event], one.own[event]].forEach((cost, pair) => {
          const part = share(cost, totals[event]);
          const bar = one.row.cells[2 * pair + 1];
          one.row.cells[2 * pair].textContent = grouped(cost);
          bar.textContent = percent(part);
          bar.classList.toggle("s", part >= 0.5);
          bar.style.setProperty("--w", `${Math.min(100, part)}%`);
        });
      }
    }

    chosen.addEventListener("change", () => {
      event = Number(chosen.value);
      writeCosts();
      sort();
    });
  }
})();
