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
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
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
