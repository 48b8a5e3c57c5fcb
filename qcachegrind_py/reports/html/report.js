// Sorts, searches and zooms in what stands in the page; `table.js` stands before it. Text is only
// ever set as text.
(() => {
  const share = (value, whole) => (whole > 0 ? (100 * Number(value)) / Number(whole) : NaN);
  const percent = (value) => {
    if (Number.isNaN(value)) return "–";
    const text = value.toFixed(2);
    if (text !== "0.00") return text;
    return value > 0 ? "<0.01" : "";
  };

  const table = document.getElementById("table");
  if (table) functions(table);
  const boxes = document.getElementById("boxes");
  const flame = boxes ? flameGraph(boxes) : null;

  window.addEventListener("beforeprint", () => {
    for (const folded of document.querySelectorAll("details")) folded.open = true;
  });

  function functions(table) {
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
    const sort = sortAndSearch(table, rows, (one, column) => keys[column](one), (words) => {
      if (flame) flame.light(words);
    });

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

  function flameGraph(picture) {
    const told = document.getElementById("told");
    const whole = 1e6;
    const all = Array.from(picture.children, (element, place) => {
      const [parent, depth, start, width, name] = data.boxes[place];
      const box = { element, place, parent, depth, start, width, below: [] };
      box.name = name || element.textContent;
      return box;
    });
    for (const box of all) if (box.parent >= 0) all[box.parent].below.push(box);
    let zoomed = all[0];
    let current = all[0];

    const isAround = (box) => {
      for (let at = zoomed.parent; at >= 0; at = all[at].parent) if (all[at] === box) return true;
      return false;
    };
    const isInside = (box) =>
      box.start >= zoomed.start - 1e-6 &&
      box.start + box.width <= zoomed.start + zoomed.width + 1e-6 &&
      box.depth >= zoomed.depth;

    function draw() {
      const room = picture.clientWidth || 1000;
      for (const box of all) {
        const around = isAround(box);
        const shown = around || isInside(box);
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

    const beside = (step) => {
      const around = current.parent >= 0 ? all[current.parent].below : [];
      return around[around.indexOf(current) + step];
    };
    const boxOf = (element) => all[Array.prototype.indexOf.call(picture.children, element)];

    picture.addEventListener("click", (event) => {
      const element = event.target.closest("a");
      if (!element || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      zoomTo(boxOf(element));
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
        Escape: () => zoomTo(all[Math.max(0, zoomed.parent)]),
        " ": () => zoomTo(current),
        Enter: () => zoomTo(current),
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
      light(words) {
        for (const box of all) {
          const name = box.name.toLowerCase();
          const fits = words.every((word) => name.includes(word));
          box.element.classList.toggle("miss", words.length > 0 && !fits);
        }
      },
    };
  }
})();
