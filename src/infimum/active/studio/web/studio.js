// The studio: shows one question at a time, sends the answer, and asks for the next one.

import { at, call, explained, imageOf, made, makeButton, marked, me, percent, random, say, searched } from "./parts.js";
import { openGuidelines, showGuidelines } from "./guidelines.js";
import { listAnswers, nextReview, progress, start } from "./panels.js";

let now = null;        // the question that is shown, with its row
let since = 0;         // when it was shown
let busy = false;
let turn = 0;          // the number of requests that changed something; older states are then out of date
let kind = "";         // the type of question in the last request
let task = { names: [] };
const FEW = 10;        // options that are buttons without a search

// ---- the question

const PURPOSES = { random: "random row", overlap: "second opinion", chosen: "chosen row", review: "review" };

function show(next) {
  now = next;
  since = performance.now();
  at("row").replaceChildren();
  at("options").replaceChildren();
  at("options").className = "";
  for (const id of ["unknown", "skip", "guess"]) at(id).disabled = next === null;
  if (next?.given) at("unknown").disabled = true;  // a decision is a label
  if (next === null) {
    at("question").textContent = "Every row is complete. Nothing is left to ask.";
    showGuidelines([]);
    return;
  }
  showRow(next.row, next.question.purpose, next.given ?? []);
  showGuidelines(next.question.about);
  at("question").textContent = next.given ? `Review: ${next.question.text}` : next.question.text;
  const inputs = { "yes-no": yesNo, one, tags, ranking, number };
  (inputs[next.question.input] ?? text)(next.question);
  if (!document.activeElement?.closest("aside, dialog")) at("question").focus({ preventScroll: true });
}

function showRow(row, purpose, given) {
  const name = String(row.row) === row.id ? "" : ` · ${row.id}`;
  const why = PURPOSES[purpose] ? ` · ${PURPOSES[purpose]}` : "";
  const known = row.candidates ? `candidates: ${row.candidates}` : "no label yet";
  at("row").append(made("p", `Row ${row.row}${name} · ${known}${why}`, "place"));
  if (given.length) {
    const answers = made("ul", undefined, "given");
    answers.append(...given.map((text) => made("li", text)));
    at("row").append(answers);
  }
  const frames = made("div", undefined, "frames");
  const list = made("dl");
  const plain = row.cells.filter((cell) => !cell.image);
  list.classList.toggle("many", plain.length > 8 && plain.every((cell) => cell.text.length < 16));
  for (const cell of row.cells) {
    if (cell.image) {
      const frame = made("button", undefined, "frame");
      frame.type = "button";
      frame.setAttribute("aria-label", `Enlarge ${cell.column} of row ${row.row}`);
      frame.append(imageOf(row, cell));
      frame.addEventListener("click", () => zoom(frame));
      frames.append(frame);
      continue;
    }
    const pair = made("div");
    const value = marked(made("dd"), cell.text, searched());
    if (cell.note) value.append(made("span", ` (${cell.note})`, "soft"));
    pair.append(made("dt", cell.column), value);
    list.append(pair);
  }
  const cells = made("div", undefined, "cells");
  if (frames.childElementCount) cells.append(frames);
  if (plain.length) cells.append(list);
  at("row").append(cells);
  at("row").scrollTop = 0;
}

function zoom(frame) {
  const image = frame?.querySelector("img");
  if (!image) return;
  const large = at("zoom").querySelector("img");
  large.src = image.src;
  large.alt = image.alt;
  larger(false);
  at("zoom").showModal();
}

function larger(yes) {
  at("zoom").classList.toggle("larger", yes);
  at("larger").setAttribute("aria-pressed", String(yes));
  at("larger").textContent = yes ? "Fit" : "Larger";
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
  at("options").className = "two";
  button("yes", "a", () => answer(true), "yes");
  button("no", "x", () => answer(false), "no");
}

// A name that is a digit has its own key; otherwise the first ten have 1, …, 9, 0.
function keysOf(names) {
  const digit = (name) => /^[0-9]$/.test(name);
  const own = names.some(digit) && names.every((name) => name.length > 1 || digit(name));
  return names.map((name, k) =>
    name === "none of these" ? "n" : own ? (digit(name) ? name : "") : k < 9 ? String(k + 1) : k === 9 ? "0" : "");
}

// Columns as wide as the longest word, so that words are not broken.
function fitWidth(names) {
  const longest = Math.max(0, ...names.flatMap((name) => name.split(/\s+/).map((word) => word.length)));
  at("options").style.setProperty("--column", `${Math.min(4 + 0.56 * longest, 20)}rem`);
}

// Up to ten options are buttons. More of them are found by typing; the most probable ones come first.
function one(question) {
  const few = question.options.length <= FEW + 1;  // one may be "none of these"
  const draw = (options) => {
    for (const old of at("options").querySelectorAll("button")) old.remove();
    const keys = keysOf(options.map((option) => option.text));
    options.forEach((option, k) => {
      const element = button(option.text, keys[k], () => answer(option.value), ...(keys[k] === "n" ? ["none"] : []));
      element.disabled = Boolean(option.excluded);
    });
    fitWidth(options.map((option) => option.text));
  };
  if (few) return draw(question.options);
  const input = made("input");
  input.type = "search";
  input.id = "find";
  input.autocomplete = "off";
  input.placeholder = `type to find one of ${question.options.length}`;
  input.setAttribute("aria-label", "Type to find an option");
  const matching = () => {
    const words = input.value.toLowerCase();
    const found = question.options.filter((option) => !option.excluded && option.text.toLowerCase().includes(words));
    const first = found.filter((option) => option.text.toLowerCase().startsWith(words));
    return [...first, ...found.filter((option) => !first.includes(option))].slice(0, 10);
  };
  input.addEventListener("input", () => draw(matching()));
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") input.blur();
    if (event.key !== "Enter") return;
    const found = matching();
    found.length && input.value ? answer(found[0].value) : say("No option contains these letters.");
  });
  at("options").append(input);
  draw(matching());
}

function tags() {
  fitWidth(task.names);
  const chosen = new Set();
  const keys = keysOf(task.names);
  task.names.forEach((name, k) => {
    const element = button(name, keys[k], () => {
      chosen.has(name) ? chosen.delete(name) : chosen.add(name);
      element.classList.toggle("chosen", chosen.has(name));
      element.setAttribute("aria-pressed", String(chosen.has(name)));
    });
    element.setAttribute("aria-pressed", "false");
  });
  button("That is all", "Enter", () => answer(Object.fromEntries(task.names.map((name) => [name, chosen.has(name)]))), "send");
}

function ranking() {
  fitWidth(task.names);
  const chosen = [];
  const keys = keysOf(task.names);
  const places = task.names.map((name, k) => {
    const element = button(name, keys[k], () => {
      chosen.includes(name) ? chosen.splice(chosen.indexOf(name), 1) : chosen.push(name);
      draw();
      if (chosen.length === task.names.length) answer(chosen.join(" > "));
    });
    element.append(made("span"));
    return element;
  });
  const draw = () => task.names.forEach((name, k) => {
    const place = chosen.indexOf(name);
    places[k].classList.toggle("chosen", place >= 0);
    places[k].lastChild.textContent = place < 0 ? "" : ` (${place + 1})`;
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
    say(explained(error));
    if (error.table) at("message").append(" ", makeButton("The table is wrong: send the row to review", () => answer(null)));
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
  const review = Boolean(now.given);
  const found = await call("/api/answer", { ...pending, kind: wanted(), review });
  pending = null;
  if (review) return decided(found);
  say(found.disagrees ? "Somebody else has answered otherwise. The row is now in the review queue." : "", true);
  progress(found.state);
  show(found.next);
  listAnswers().catch(() => {});  // the next answer shows the error
});

async function decided(found) {
  const name = now.row.row;
  progress(found.state);
  listAnswers().catch(() => {});
  const left = await nextReview();
  if (left) show(left);
  else show((await call(`/api/next?${person()}&kind=${encodeURIComponent(wanted())}`)).next);
  say(`Decided: row ${name}.${left ? "" : " The review queue is empty."}`, true);
}

const person = () => `who=${encodeURIComponent(me.who)}&tab=${me.tab}`;

const skip = () => act(async () => {
  if (now === null) return;
  if (now.given) {
    const left = await nextReview(now.row.row);
    if (left) return show(left);
  }
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
  const { count, mine, question, row, answer: given } = found.undone;
  say(count > 1 ? `Taken back: ${count} rows.` : `Taken back: ${question.text} ${given}.`, true);
  if (count === 1 && mine) show({ question, row });
  listAnswers().catch(() => {});
});

const next = (row) => act(async () => {
  const chosen = Number.isInteger(row) ? `&row=${row}` : "";
  const found = await call(`/api/next?${person()}&kind=${encodeURIComponent(wanted())}${chosen}`);
  say("");
  progress(found.state);
  show(found.next);
});

const guess = () => act(async () => {
  if (now === null) return;
  const found = await call(`/api/guess?row=${now.row.row}`);
  const words = found.guess.map(([name, share]) => (share === null ? name : `${name} (${percent(share)})`));
  say(words.length ? `The model guesses ${words.join(", ")}.` : "The model has no guess.", true);
});

// ---- keys, buttons

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || document.querySelector("dialog[open]")) return;
  if (["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName)) return;
  const onButton = ["BUTTON", "A", "SUMMARY"].includes(event.target.tagName);
  if (onButton && (event.key === " " || event.key === "Enter")) return;
  const keyed = [...at("options").querySelectorAll("button")].find((b) => b.dataset.key === event.key);
  const others = {
    " ": skip, Backspace: () => undo(), d: () => answer(null), g: guess, i: openGuidelines, z: () => zoom(at("row").querySelector(".frame")),
    "?": () => at("keys").showModal(), "/": () => at("find")?.focus(),
  };
  if (keyed) keyed.click();
  else if (others[event.key]) others[event.key]();
  else return;
  event.preventDefault();
});

at("unknown").addEventListener("click", () => answer(null));
at("skip").addEventListener("click", skip);
at("undo").addEventListener("click", () => undo());
at("guess").addEventListener("click", guess);
at("help").addEventListener("click", () => at("keys").showModal());
at("larger").addEventListener("click", () => larger(!at("zoom").classList.contains("larger")));
at("zoom").querySelector("img").addEventListener("click", () => larger(!at("zoom").classList.contains("larger")));
at("kind").addEventListener("change", () => next());

// A row that was chosen from a list: on a narrow screen the question is above the lists.
function toQuestion() {
  at("ask").scrollIntoView({ block: "nearest" });
  at("question").focus({ preventScroll: true });
}

task = await start({
  undo, act,
  next: async (row) => {
    await next(row);
    if (Number.isInteger(row)) toQuestion();
  },
  show: (one) => {
    show(one);
    toQuestion();
  },
});
at("ask").classList.toggle("searchable", task.names.length > FEW);
await next();
await listAnswers().catch((error) => say(error.message));
setInterval(async () => {  // answers of other people, and what the model learned meanwhile
  if (document.hidden || busy) return;
  const asked = turn;
  try {
    const found = await call(`/api/state?who=${encodeURIComponent(me.who)}`);
    if (turn === asked) progress(found);
  } catch { /* the next answer shows the error */ }
}, 3000);
