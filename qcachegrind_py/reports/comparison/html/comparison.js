// Sorts and searches the functions that stand in the page; `table.js` and `flame.js` stand before it.
(() => {
  const table = document.getElementById("table");
  const numbers = data.map((row) => row.map(exact));
  sortAndSearch(table, rowsOf(table), (one, column) => numbers[one.place][column]);
})();
