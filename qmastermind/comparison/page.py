"""Style and script of the report."""

STYLE = """
:root { color-scheme: light; --ink: #1d2430; --soft: #5b6676; --line: #dfe3ea; --best: #e7f4ee; }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
       color: var(--ink); margin: 0 auto; padding: 2rem 1.5rem; max-width: 1320px; }
header { border-bottom: 3px solid #1b6e53; padding-bottom: .4rem; }
h1 { font-size: 1.8rem; margin: 0; }
h2 { font-size: 1.15rem; margin: 2.4rem 0 .6rem; }
p { max-width: 90ch; } header p { margin: .3rem 0 .6rem; }
a { color: #1b5fa8; }
.soft { color: var(--soft); }
.warn { color: #a3123a; }
.chip { display: inline-block; border: 1px solid var(--line); border-radius: 1em; font-size: .8rem;
        padding: .1em .8em; margin: 0 .4em .3em 0; }
.chip i, .dot { display: inline-block; width: .65em; height: .65em; border-radius: 50%;
                margin-right: .45em; }
.scroll { overflow-x: auto; }
figure { margin: .6rem 0 1rem; }
figure.pictures { display: flex; flex-wrap: wrap; gap: .6rem 3rem; align-items: end; }
figcaption { color: var(--soft); font-size: .86rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .86rem; }
table.sortable { width: 100%; }
th, td { padding: .32rem .55rem; border-bottom: 1px solid var(--line); text-align: left;
         white-space: nowrap; vertical-align: top; }
th.n, td.n { text-align: right; }
th { color: var(--soft); font-weight: 600; border-bottom: 2px solid var(--line); }
th button { font: inherit; color: inherit; background: none; border: 0; padding: 0;
            cursor: pointer; }
th button:hover { color: var(--ink); }
th[aria-sort=ascending] button::after { content: " \\25B2"; }
th[aria-sort=descending] button::after { content: " \\25BC"; }
td.verdict { white-space: normal; max-width: 24rem; }
tr.best td { background: var(--best); }
tr.unranked td { color: #a3123a; }
tbody tr:hover td { background: #f3f6fa; }
pre { background: #f5f7fa; padding: .8rem 1rem; overflow-x: auto; font-size: .85rem;
      border-radius: 6px;
      white-space: pre-wrap; overflow-wrap: anywhere; }
.passes { font-size: .85rem; color: var(--soft); }
figure > svg:not(.circuit) { max-width: 100%; height: auto; }
@media print { body { max-width: none; padding: 0; } section { break-inside: avoid; } }
"""

SCRIPT = """
document.querySelectorAll('.sortable th').forEach(function (head) {
  head.querySelector('button').addEventListener('click', function () {
    var table = head.closest('table'), body = table.tBodies[0];
    var column = Array.prototype.indexOf.call(head.parentNode.children, head);
    var down = head.getAttribute('aria-sort') === 'ascending';
    table.querySelectorAll('th').forEach(function (h) { h.removeAttribute('aria-sort'); });
    head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    var rows = Array.prototype.slice.call(body.rows);
    function value(row) {
      var text = row.cells[column].textContent.trim(), number = parseFloat(text);
      return isNaN(number) ? text : number;
    }
    rows.sort(function (a, b) {
      var x = value(a), y = value(b);
      if (x === '' || y === '') { return x === y ? 0 : x === '' ? 1 : -1; }
      if (typeof x !== typeof y) { return typeof x === 'number' ? -1 : 1; }
      return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
    });
    rows.forEach(function (row) { body.appendChild(row); });
  });
});
"""
