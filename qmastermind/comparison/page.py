"""Style and script of the report."""

STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1d2430; --soft: #5b6676; --line: #dfe3ea;
        --best: #e7f4ee; --fill: #f5f7fa; --accent: #1b6e53; --link: #1b5fa8; --bad: #a3123a;
        --wire: #8a94a6; --box: #eef3fb; }
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #14181f; --ink: #e4e8ee; --soft: #a0abbb; --line: #303846; --best: #17352b;
          --fill: #1d232d; --accent: #3fae87; --link: #7db4f0; --bad: #ff8296; --wire: #7b8798;
          --box: #232c3a; }
}
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
       color: var(--ink); background: var(--paper); margin: 0 auto; padding: 2rem 1.5rem;
       max-width: 1360px; overflow-wrap: break-word; }
header { border-bottom: 3px solid var(--accent); padding-bottom: .4rem; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0; }
h2 { font-size: 1.15rem; margin: 2.4rem 0 .4rem; }
p { max-width: 90ch; margin: .3rem 0 .8rem; }
a { color: var(--link); }
.soft, figcaption { color: var(--soft); }
.bad { color: var(--bad); }
.partial { color: var(--bad); border: 2px solid; border-radius: 6px; padding: .5rem .9rem;
           font-weight: 600; margin-top: .8rem; }
.partial::first-letter { text-transform: uppercase; }
.chip { display: inline-block; border: 1px solid var(--line); border-radius: 1em; font-size: .8rem;
        padding: .1em .8em; margin: 0 .4em .3em 0; }
.chip i, .dot { display: inline-block; width: .65em; height: .65em; border-radius: 50%;
                margin-right: .45em; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.scroll { overflow-x: auto; }
figure { margin: .6rem 0 1.2rem; display: flex; flex-wrap: wrap; gap: .6rem 2.5rem;
         align-items: end; }
figure.charts { align-items: start; }
figcaption { font-size: .86rem; }
figure.charts figcaption { flex-basis: 100%; }
svg.chart { flex: 0 1 34rem; min-width: 0; max-width: 100%; height: auto; fill: currentColor; }
svg.chart text { font-family: inherit !important; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .86rem; }
table.sortable { width: 100%; }
th, td { padding: .32rem .5rem; border-bottom: 1px solid var(--line); text-align: left;
         white-space: nowrap; vertical-align: top; }
th { color: var(--soft); font-weight: 600; border-bottom: 2px solid var(--line);
     vertical-align: bottom; }
th.n, td.n { text-align: right; }
th.n { white-space: normal; }
th.label { white-space: normal; min-width: 14.5em; }
td small { display: block; color: var(--soft); }
th button { font: inherit; color: inherit; background: none; border: 0; padding: 0;
            text-align: inherit; cursor: pointer; }
th button:hover { color: var(--ink); }
th[aria-sort=ascending] button::after { content: " \\25B2"; }
th[aria-sort=descending] button::after { content: " \\25BC"; }
th.label, td.label { position: sticky; left: 0; background: var(--paper); }
tbody tr.best td { background: var(--best); }
tbody tr.unranked td { color: var(--bad); }
tbody tr:hover td { background: var(--fill); }
pre { background: var(--fill); padding: .8rem 1rem; font-size: .85rem; border-radius: 6px;
      white-space: pre-wrap; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content minmax(0, 80ch); gap: .15rem 1.2rem;
     font-size: .86rem; margin: 0; }
dt { font-weight: 600; }
dd { margin: 0; }
ul, ol { font-size: .86rem; padding-left: 2.2em; }
li { margin-bottom: .25rem; overflow-wrap: anywhere; }
ol.passes { color: var(--soft); }
li:target { color: var(--ink); background: var(--best); }
@media (max-width: 600px) {
  body { padding: 1.2rem 1rem; }
  th, td { padding: .32rem .4rem; }
  td.label { white-space: normal; min-width: 17em; }
}
@media print {
  @page { size: A4 landscape; margin: 12mm; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  table { font-size: 7.5pt; }
  .scroll { overflow: visible; }
  svg.chart { flex: 0 1 46%; }
  svg.circuit { max-width: 100%; height: auto; }
  tr, figure, li { break-inside: avoid; }
  h2 { break-after: avoid; }
  tr.best td { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
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
