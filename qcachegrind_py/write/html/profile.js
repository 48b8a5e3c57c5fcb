// Sorts, searches and zooms in what stands in the page; `table.js` and `flame.js` stand before it.
// Text is only ever set as text.
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
  const flame = boxes ? flameGraph(boxes, data.boxes) : null;

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
})();
