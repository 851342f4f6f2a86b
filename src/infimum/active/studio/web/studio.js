// The studio: shows one question at a time, sends the answer, and shows the progress.
// Cells and names are inserted as text, never as HTML.

const token = new URLSearchParams(location.search).get("token") ?? "";
const at = (id) => document.getElementById(id);
const FORMATS = ["csv", "tsv", "jsonl", "parquet", "arrow", "label-studio", "argilla", "prodigy", "doccano", "zooniverse",
  "votes"];
const SVG = "http://www.w3.org/2000/svg";

// Each tab is a person, so two tabs get different rows; a reload stays the same person.
const who = sessionStorage.getItem("who") ?? `person-${random(6)}`;
sessionStorage.setItem("who", who);

let now = null;        // the question that is shown, with its row
let since = 0;         // when it was shown
let busy = false;
let turn = 0;          // the number of requests that changed something; older states are then out of date
let kind = "";         // the type of question in the last request
let listedSoFar = 0;

function random(length) {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function call(path, body) {
  const options = { headers: { "X-Token": token } };
  if (body !== undefined) {
    options.method = "POST";
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify({ who, ...body });
  }
  const response = await fetch(path, options);
  const found = await response.json();
  if (!response.ok) throw Object.assign(new Error(found.error ?? response.statusText), { status: response.status });
  return found;
}

function made(tag, text, ...classes) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  element.classList.add(...classes);
  return element;
}

function say(text, calm = false) {
  at("message").textContent = text;
  at("message").classList.toggle("calm", calm);
}

// ---- the question

function show(next) {
  now = next;
  since = performance.now();
  at("row").replaceChildren();
  at("options").replaceChildren();
  for (const id of ["unknown", "skip"]) at(id).disabled = next === null;
  if (next === null) {
    at("question").textContent = "Nothing is left to ask.";
    return;
  }
  showRow(next.row);
  at("question").textContent = next.question.text;
  const inputs = { "yes-no": yesNo, one, tags, ranking, number };
  (inputs[next.question.input] ?? text)(next.question);
  at("question").focus({ preventScroll: true });
}

function showRow(row) {
  at("row").append(made("p", `Row ${row.row}${String(row.row) === row.id ? "" : ` · ${row.id}`} · candidates: ${row.candidates}`, "place"));
  const list = made("dl");
  const plain = row.cells.filter((cell) => !cell.image);
  list.classList.toggle("many", plain.length > 8 && plain.every((cell) => cell.text.length < 16));
  for (const cell of row.cells) {
    if (cell.image) {
      const image = made("img");
      image.alt = `${cell.column} of row ${row.row}: ${cell.text}`;
      image.src = `/image/${row.row}/${encodeURIComponent(cell.column)}?token=${encodeURIComponent(token)}`;
      at("row").append(image);
      continue;
    }
    const pair = made("div");
    if (!list.classList.contains("many")) pair.style.display = "contents";
    pair.append(made("dt", cell.column), made("dd", cell.text));
    list.append(pair);
  }
  if (plain.length) at("row").append(list);
}

function button(text, key, act, ...classes) {
  const element = made("button", undefined, ...classes);
  element.type = "button";
  if (key) {
    element.append(made("kbd", key));
    element.dataset.key = key;
    element.setAttribute("aria-keyshortcuts", key);
  }
  element.append(text);
  element.addEventListener("click", act);
  at("options").append(element);
  return element;
}

function yesNo() {
  button("yes", "a", () => answer(true), "yes");
  button("no", "x", () => answer(false), "no");
}

// A name that is a digit has its own key; otherwise the first ten have 1, …, 9, 0.
function keysOf(names) {
  const digits = names.filter((name) => /^[0-9]$/.test(name));
  if (digits.length && names.every((name) => name.length > 1 || /^[0-9]$/.test(name))) {
    return names.map((name) => (/^[0-9]$/.test(name) ? name : name === "none of these" ? "n" : ""));
  }
  return names.map((_, k) => (k < 9 ? String(k + 1) : k === 9 ? "0" : ""));
}

function one(question) {
  const keys = keysOf(question.options.map((option) => option.text));
  question.options.forEach((option, k) => button(option.text, keys[k], () => answer(option.value)));
}

function tags() {
  const chosen = new Set();
  const names = state.names;
  const keys = keysOf(names);
  names.forEach((name, k) => {
    const element = button(name, keys[k], () => {
      chosen.has(name) ? chosen.delete(name) : chosen.add(name);
      element.classList.toggle("chosen", chosen.has(name));
      element.setAttribute("aria-pressed", String(chosen.has(name)));
    });
    element.setAttribute("aria-pressed", "false");
  });
  button("That is all", "Enter", () => answer(Object.fromEntries(names.map((name) => [name, chosen.has(name)]))), "send");
}

function ranking() {
  const chosen = [];
  const keys = keysOf(state.names);
  state.names.forEach((name, k) => {
    const element = button(name, keys[k], () => {
      if (chosen.includes(name)) return;
      chosen.push(name);
      element.classList.add("chosen");
      element.append(` (${chosen.length})`);
      if (chosen.length === state.names.length) answer(chosen.join(" > "));
    });
  });
}

const number = () => typed("A number", "number", Number);
const text = () => typed("The output, as in a CSV file", "text", String);

function typed(words, type, parsed) {
  const label = made("label", words);
  const input = made("input");
  input.type = type;
  if (type === "number") input.step = "any";
  label.append(input);
  at("options").append(label);
  const send = () => (input.value === "" ? say("Type an answer first.") : answer(parsed(input.value)));
  input.addEventListener("keydown", (event) => event.key === "Enter" && send());
  button("Send", "", send, "send");
  input.focus();
}

// ---- what is sent

// One request at a time: the app shows that it is busy, and ignores keys, which were meant for the previous question.
async function act(work) {
  if (busy) return;
  busy = true;
  turn += 1;
  at("ask").setAttribute("aria-busy", "true");
  try {
    await work();
  } catch (error) {
    say(error.status ? error.message : "The studio does not answer. Is it still running? Nothing was lost: try again.");
  } finally {
    busy = false;
    at("ask").removeAttribute("aria-busy");
    if (now !== null && at("kind").value && at("kind").value !== kind) next();  // another type was chosen meanwhile
  }
}

const wanted = () => (kind = at("kind").value || "auto");

// An answer keeps its id until it is acknowledged, so that it counts once even if it is sent twice.
let pending = null;

const answer = (value) => act(async () => {
  if (now === null) return;
  const asked = now.question.asked;
  if (pending === null || pending.question !== asked || pending.answer !== value) {
    pending = { id: random(12), question: asked, answer: value, seconds: (performance.now() - since) / 1000 };
  }
  const found = await call("/api/answer", { ...pending, kind: wanted() });
  pending = null;
  say("");
  progress(found.state);
  show(found.next);
  relist();
});

const skip = () => act(async () => {
  if (now === null) return;
  const found = await call("/api/skip", { row: now.row.row, kind: wanted() });
  say("");
  progress(found.state);
  show(found.next);
});

const undo = (id) => act(async () => {
  const found = await call("/api/undo", id ? { id } : {});
  progress(found.state);
  if (found.undone === null) {
    say("There is nothing to take back.", true);
    return;
  }
  say(`Taken back: ${found.undone.question.text} ${found.undone.answer}.`, true);
  show({ question: found.undone.question, row: found.undone.row });
  relist();
});

const next = () => act(async () => {
  const found = await call(`/api/next?who=${encodeURIComponent(who)}&kind=${encodeURIComponent(wanted())}`);
  progress(found.state);
  show(found.next);
});

// ---- progress

let state = { names: [] };

function progress(found) {
  state = found;
  const percent = (share) => (share === null ? "–" : `${Math.round(100 * share)}\u00a0%`);
  const time = found.minutes === null ? "" : `, about ${found.minutes < 1 ? "one minute" : `${Math.round(found.minutes)} minutes`}`;
  at("file").textContent = `· ${found.file}, ${found.target}`;
  at("progress").textContent = `${found.answers} answers (${found.mine} yours) · ${found.complete} of ${found.rows} rows complete · `
    + `${Math.round(found.remaining)} more yes or no expected${time} · held-out covering ${percent(found.covering)}`;
  at("bar").max = found.rows;
  at("bar").value = found.complete;
  chart(found.history);
  if (!at("kind").options.length) {
    for (const kind of ["auto", ...found.kinds]) at("kind").append(new Option(kind === "auto" ? "whatever helps most" : kind, kind));
    for (const form of FORMATS) at("form").append(new Option(form, form));
  }
}

function chart(points) {
  const svg = at("chart");
  svg.replaceChildren();
  const [left, right, top, bottom] = [42, 312, 8, 124];
  const most = Math.max(1, ...points.map((point) => point[0]));
  const start = Math.max(1e-9, points[0]?.[2] ?? 1);
  const x = (cost) => left + (right - left) * (cost / most);
  const y = (share) => bottom - (bottom - top) * Math.min(1, Math.max(0, share));
  const line = (name, values) => {
    if (!values.length) return;
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("class", name);
    path.setAttribute("d", values.map(([a, b], k) => `${k ? "L" : "M"}${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join(""));
    svg.append(path);
  };
  const text = (words, tx, ty, anchor) => {
    const element = document.createElementNS(SVG, "text");
    element.setAttribute("x", tx);
    element.setAttribute("y", ty);
    element.setAttribute("text-anchor", anchor);
    element.textContent = words;
    svg.append(element);
  };
  line("axis", [[0, 1], [0, 0], [most, 0]]);
  line("axis", [[0, 0.5], [most, 0.5]]);
  for (const share of [0, 0.5, 1]) text(`${100 * share}\u00a0%`, left - 4, y(share) + 4, "end");
  text("0", left, bottom + 16, "middle");
  text(`cost ${Math.round(most)}`, right, bottom + 16, "end");
  line("sure", points.map((point) => [point[0], 1 - point[2] / start]));
  line("covering", points.filter((point) => point[1] !== null).map((point) => [point[0], point[1]]));
  const last = points.at(-1) ?? [0, null, start];
  at("legend").textContent = "Solid: predictions without the row that lie in its set"
    + `${last[1] === null ? "" : ` (${Math.round(100 * last[1])}\u00a0%)`}. Dashed: uncertainty removed (${Math.round(100 * (1 - last[2] / start))}\u00a0%).`;
}

// ---- the list of answers

async function list(more = false) {
  const offset = more ? listedSoFar : 0;
  const found = await call(`/api/answers?offset=${offset}&search=${encodeURIComponent(at("search").value)}`);
  const items = found.answers.map((entry) => {
    const item = made("li");
    item.append(made("span", `row ${entry.row}: ${entry.text} ${entry.answer}`));
    const back = made("button", "Undo");
    back.type = "button";
    back.setAttribute("aria-label", `Undo: row ${entry.row}, ${entry.text} ${entry.answer}`);
    back.addEventListener("click", () => undo(entry.id));
    item.append(back);
    return item;
  });
  more ? at("answers").append(...items) : at("answers").replaceChildren(...items);
  listedSoFar = offset + items.length;
  at("more").hidden = listedSoFar >= found.total;
  at("found").textContent = `${found.total} answer${found.total === 1 ? "" : "s"}`;
}

function relist() {
  list().catch(() => {});  // the next answer shows the error
}

// ---- keys, buttons

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName)) return;
  const onButton = event.target.tagName === "BUTTON" || event.target.tagName === "A";
  if (onButton && (event.key === " " || event.key === "Enter")) return;
  const keyed = [...at("options").querySelectorAll("button")].find((b) => b.dataset.key === event.key);
  const others = { " ": skip, Backspace: () => undo(), d: () => answer(null) };
  if (keyed) keyed.click();
  else if (others[event.key]) others[event.key]();
  else return;
  event.preventDefault();
});

at("unknown").addEventListener("click", () => answer(null));
at("skip").addEventListener("click", skip);
at("undo").addEventListener("click", () => undo());
at("kind").addEventListener("change", next);
at("more").addEventListener("click", () => list(true).catch((error) => say(error.message)));
at("export").addEventListener("click", () => act(async () => {
  at("exported").textContent = "";
  const found = await call("/api/export", { form: at("form").value });
  at("exported").textContent = `Written: ${found.path}`;
}));
let typing = 0;
at("search").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => list().catch((error) => say(error.message)), 150);
});

await next();
await list().catch((error) => say(error.message));
setInterval(async () => {  // answers of other people, and what the model learned meanwhile
  if (document.hidden || busy) return;
  const asked = turn;
  try {
    const found = await call(`/api/state?who=${encodeURIComponent(who)}`);
    if (turn === asked) progress(found);
  } catch { /* the next answer shows the error */ }
}, 3000);
