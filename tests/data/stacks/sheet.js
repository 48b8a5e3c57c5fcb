'use strict';
// A program with workers and recursion, to be sampled.
const { Worker, isMainThread } = require('worker_threads');

function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
function even(n) { return n === 0 ? true : odd(n - 1); }
function odd(n) { return n === 0 ? false : even(n - 1); }

class Sheet {
  constructor() {
    this.cells = new Map();
    for (let row = 0; row < 2000; row++) this.cells.set('A' + row, row * 7 % 13);
  }
  value(name) {
    return this.cells.get(name) + name.replace(/[0-9]+/, (digits) =>
      [...digits].reverse().join('')).length;
  }
  sums() {
    let sum = 0;
    for (const name of this.cells.keys()) sum += this.value(name);
    return sum;
  }
}

function calculate() {
  const sheet = new Sheet();
  for (let n = 0; n < 150; n++) sheet.sums();
}
function recurse() {
  for (let n = 0; n < 40; n++) fib(24);
  for (let n = 0; n < 3000; n++) even(n % 100);
}

if (isMainThread) new Worker(__filename);
calculate();
recurse();
