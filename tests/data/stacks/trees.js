// A small program that records its wall profile with the package @datadog/pprof: node trees.js
const pprof = require('@datadog/pprof');
const fs = require('fs');
function square(x) { return x * x % 1000003 }
function numbers(n) { let s = 0; for (let i = 0; i < n; i++) s += square(i) ^ (s >> 3); return s }
function words(n) { const l = []; for (let i = 0; i < n; i++) l.push(square(i).toString(16)); return l.sort() }
function insert(t, v) { if (!t) return {v, l: null, r: null}; if (v < t.v) t.l = insert(t.l, v); else t.r = insert(t.r, v); return t }
function trees(n) { let t = null; for (let i = 0; i < n; i++) t = insert(t, square(i)); return t }
const kept = [];
function main() {
  const end = Date.now() + 1500; let sum = 0;
  while (Date.now() < end) { sum += numbers(200000); sum += words(3000).length; kept[sum % 20] = trees(3000) }
  return sum;
}
pprof.time.start({durationMillis: 60000, intervalMicros: 10000});
main();
(async () => {
  fs.writeFileSync('node-wall.pb.gz', await pprof.encode(pprof.time.stop()));
})();
