// Sorts and searches the functions that stand in the page, and switches the widths of the flame
// graph; `table.js` and `flame.js` stand before it.
(() => {
  const table = document.getElementById("table");
  const picture = document.getElementById("boxes");
  const numbers = data.rows.map((row) => row.map(exact));
  const flame = picture ? compared(picture) : null;
  sortAndSearch(table, rowsOf(table), (one, column) => numbers[one.place][column], (words) => {
    if (flame) flame.light(words);
  });

  // A box has parent, depth and name, then start and width by New, by Base and by Change.
  function compared(picture) {
    const choices = Array.from(document.querySelectorAll("input[name=width]"));
    const placesOf = (choice) =>
      data.boxes.map((box) => box.slice(3 + 2 * choice.value, 5 + 2 * choice.value));
    const chosen = choices.find((choice) => choice.checked);
    const places = placesOf(chosen);
    const rows = data.boxes.map(([parent, depth, name], at) => [parent, depth, name, ...places[at]]);
    const flame = flameGraph(picture, rows);
    for (const choice of choices) {
      choice.addEventListener("change", () => flame.place(placesOf(choice)));
    }
    return flame;
  }
})();
