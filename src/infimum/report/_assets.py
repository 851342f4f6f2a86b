"""The style sheet and the script of the report; it loads no other files."""

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de; --back: #ffffff; --card: #f6f8fa;
  --blue: #0072b2; --good: #1a7f37; --warn: #9a6700; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9da7b3; --line: #30363d; --back: #0d1117;
  --card: #161b22; --blue: #56b4e9; --good: #57c26a; --warn: #e0b340; --bad: #ff8178; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.3rem; margin: 2.8rem 0 .6rem; padding-top: 1rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.8rem 0 .4rem; }
p, ul { margin: .5rem 0; max-width: 46rem; }
.soft, .caption { color: var(--soft); }
a { color: var(--blue); }
nav ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: .6rem; margin: 1rem 0; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .6rem .8rem; }
.tile b { display: block; font-size: 1.25rem; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.tile span { color: var(--soft); font-size: .85rem; }
.verdict { border-left: 5px solid var(--soft); background: var(--card); padding: .8rem 1rem; border-radius: 0 8px 8px 0;
  font-size: 1.1rem; max-width: none; overflow-wrap: anywhere; }
.verdict.good { border-color: var(--good); } .verdict.warn { border-color: var(--warn); }
.verdict.bad { border-color: var(--bad); }
.scroll { overflow-x: auto; margin: .8rem 0; border: 1px solid var(--line); border-radius: 8px;
  background: linear-gradient(to left, var(--back) 2rem, transparent) right / 4rem 100% no-repeat local,
    linear-gradient(to left, #8886, transparent) right / .9rem 100% no-repeat scroll; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
.caption { font-size: .88rem; margin: .9rem 0 -.4rem; max-width: none; }
th, td { padding: .35rem .7rem; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
td { min-width: 8.2rem; max-width: 22rem; overflow-wrap: anywhere; }
td.n, th.n { min-width: 0; text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th { white-space: nowrap; }
th button { all: unset; cursor: pointer; font-weight: 600; }
th button:focus-visible { outline: 2px solid var(--blue); outline-offset: 2px; }
th button::after { content: " \\2195"; color: var(--soft); font-weight: 400; }
th[aria-sort=ascending] button::after { content: " \\2191"; color: var(--blue); }
th[aria-sort=descending] button::after { content: " \\2193"; color: var(--blue); }
figure { margin: 1rem 0; }
figure svg { max-width: 100%; height: auto; display: block; }
.charts { display: flex; flex-wrap: wrap; gap: 0 1.5rem; } .charts figure { flex: 1 1 20rem; min-width: 0; }
figcaption { color: var(--soft); font-size: .9rem; max-width: 40rem; }
details { margin: .6rem 0; } summary { cursor: pointer; }
details > summary h2 { display: inline; border: 0; margin: 0; padding: 0; font-size: 1.15rem; }
.summary { font-size: 1.15rem; background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  padding: .6rem 1rem; margin: 1rem 0; } .summary p { max-width: none; overflow-wrap: anywhere; }
.cards { list-style: none; padding: 0; max-width: none; display: grid; gap: .7rem;
  grid-template-columns: repeat(auto-fill, minmax(min(25rem, 100%), 1fr)); align-items: start; }
.card { border: 1px solid var(--line); border-radius: 8px; padding: .7rem .9rem;
  overflow-wrap: anywhere; } .card p { margin: .2rem 0; max-width: none; }
.card .name { font-weight: 600; } .card img, .because img { image-rendering: auto; border-radius: 4px; }
.card .images { display: flex; flex-wrap: wrap; gap: .5rem; margin: .3rem 0; }
.card .label { display: inline-block; padding: 0 .5rem; border: 1px solid var(--line); border-radius: 999px; }
.because { color: var(--soft); font-size: .9rem; margin: .3rem 0 0; padding-left: 1.1rem; max-width: none; }
.find { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; margin: .6rem 0 0; }
.find input, .find button { font: inherit; font-size: .9rem; color: inherit; background: var(--back);
  border: 1px solid var(--soft); border-radius: 6px; padding: .3rem .6rem; min-height: 2.2rem; }
.find input { flex: 1 1 12rem; min-width: 0; max-width: 24rem; }
#glossary dt { font-weight: 600; margin-top: .5rem; } #glossary dd { margin: 0; color: var(--soft); max-width: 46rem; }
#glossary dt:target, #glossary dt:target + dd { background: var(--card); outline: 2px solid var(--blue); }
[hidden] { display: none !important; }
@media (max-width: 60rem) {
  table { font-size: .85rem; } th { white-space: normal; }
  th, td { padding: .35rem .45rem; } td { min-width: 7.5rem; }
}
@media (max-width: 40rem) {
  .summary { font-size: 1rem; }
  .scroll { border: 0; background: none; overflow: visible; }
  table, tbody, tr { display: block; }
  thead tr { display: flex; flex-wrap: wrap; gap: 0 1rem; }
  tbody tr { border-top: 1px solid var(--line); padding: .4rem 0; }
  th, th.n { border: 0; padding: .1rem 0; font-size: .85rem; }
  td, td.n { display: inline-block; min-width: 0; max-width: 100%; border: 0; padding: 0 1rem 0 0; text-align: left;
    vertical-align: baseline; white-space: normal; }
  td::before { content: attr(data-l) ": "; color: var(--soft); }
  td:first-child { display: block; font-weight: 600; }
  td:first-child::before { content: none; }
}
@media print { body { font-size: 11pt; } .scroll, figure { overflow: visible; } h2 { break-after: avoid; } }
"""

SCRIPT = """
document.querySelectorAll("table.sortable").forEach(table => {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  heads.forEach((head, k) => head.querySelector("button").addEventListener("click", () => {
    const up = head.getAttribute("aria-sort") !== "ascending";
    heads.forEach(other => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const value = row => row.cells[k].dataset.v ?? row.cells[k].textContent;
    const order = (a, b) => {
      const [x, y] = [value(a), value(b)], [p, q] = [parseFloat(x), parseFloat(y)];
      const both = head.classList.contains("n") && !isNaN(p) && !isNaN(q);
      return (up ? 1 : -1) * (both ? p - q : x.localeCompare(y, undefined, { numeric: true }));
    };
    [...body.rows].sort(order).forEach(row => body.append(row));
    table.dispatchEvent(new Event("sorted"));
  }));
});
document.querySelectorAll("table.long, ul.long").forEach(list => {
  const items = () => [...(list.tBodies ? list.tBodies[0].rows : list.children)];
  if (items().length <= 20) return;
  const bar = document.createElement("div"), input = document.createElement("input");
  const more = document.createElement("button"), count = document.createElement("span");
  bar.className = "find";
  input.type = "search";
  input.placeholder = "search " + items().length + " rows";
  input.setAttribute("aria-label", "Search these rows");
  more.type = "button";
  count.setAttribute("role", "status");
  count.className = "soft";
  bar.append(input, more, count);
  (list.closest(".scroll") ?? list).before(bar);
  let all = false;
  const draw = () => {
    const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
    const found = items().filter(item => words.every(word => item.textContent.toLowerCase().includes(word)));
    items().forEach(item => { item.hidden = true; });
    found.forEach((item, k) => { item.hidden = !all && k >= 20; });
    more.textContent = all ? "Show twenty" : "Show all";
    count.textContent = found.length > 20 && !all ? "20 of " + found.length : found.length + " rows";
  };
  input.addEventListener("input", draw);
  more.addEventListener("click", () => { all = !all; draw(); });
  list.addEventListener("sorted", draw);
  draw();
});
const unfold = () => {
  const found = location.hash && document.getElementById(location.hash.slice(1));
  const inside = found && (found.closest("details"));
  if (inside) { inside.open = true; found.scrollIntoView(); }
};
addEventListener("hashchange", unfold);
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(each => { each.open = true; }));
unfold();
"""
