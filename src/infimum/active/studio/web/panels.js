// The panels beside the question: progress, people, review, rows, answers, export, guidelines, batches.

import { startGuidelines } from "./guidelines.js";
import { at, call, explained, made, makeButton, me, percent, random, say, summary, token } from "./parts.js";

const KINDS = {
  auto: "cheapest until the row is known", FullLabel: "the full label", Is: "one class, yes or no",
  OneOf: "a few classes, yes or no", Which: "one of a few classes", Has: "one tag, yes or no",
  Before: "the order of two items", First: "the first of a few items", Below: "below a number, yes or no",
};
const SVG = "http://www.w3.org/2000/svg";
let task = { names: [], rows: 1 };
let acts = {};

// Ask for the name once, show what does not change, and return the task.
export async function start(given) {
  acts = given;
  task = await call("/api/task");
  me.who = task.you || localStorage.getItem("infimum-name") || "";
  for (const name of task.people) at("known").append(new Option(name));
  at("name").disabled = Boolean(task.you);
  at("name").addEventListener("click", rename);
  if (!me.who) await rename();
  await call("/api/join", {}).catch((error) => say(explained(error)));
  at("name").textContent = me.who;
  at("file").textContent = `· ${task.file}, ${task.target}`;
  for (const kind of ["auto", ...task.kinds]) at("kind").append(new Option(KINDS[kind] ?? kind, kind));
  for (const form of task.formats) at("form").append(new Option(form, form));
  at("keys").querySelector(".soft").hidden = !task.random;
  notes();
  startGuidelines(task.guidelines);
  return task;
}

function rename() {
  at("who").value = me.who;
  at("join").showModal();
  return new Promise((done) => at("join").addEventListener("close", async () => {
    const name = at("who").value.trim();
    if (!name && !me.who) return done(rename());
    const is_new = me.who && name && name !== me.who;
    me.who = name || me.who;
    localStorage.setItem("infimum-name", me.who);
    at("name").textContent = me.who;
    if (is_new) {
      await call("/api/join", {}).catch((error) => say(explained(error)));
      acts.next();
    }
    done();
  }, { once: true }));
}

function notes() {
  const found = [...task.notes];
  if (task.edited.length) found.push(`${task.edited.length} answered rows have changed cells; their answers are kept.`);
  for (const one of task.left_out) found.push(`Not taken over: ${one.who}, ${one.text}: ${one.reason}`);
  at("notes").hidden = !found.length;
  at("notes").open = Boolean(task.left_out.length);
  at("notes").querySelector("ul").append(...found.map((text) => made("li", text)));
}

// ---- progress and people

export function progress(found) {
  const time = found.minutes === null ? "" : `, about ${found.minutes < 1.5 ? "one minute" : `${Math.round(found.minutes)} minutes`}`;
  at("progress").textContent = `${found.answers} answers (${found.mine} yours) · ${found.complete} of ${task.rows} rows complete${time}`
    + (found.problem ? ` · The model could not be updated: ${found.problem}` : "");
  at("bar").max = task.rows;
  at("bar").value = found.complete;
  at("stop").hidden = !found.stop;
  const share = found.changed ? "fewer than 1\u00a0%" : "none";
  at("stop").textContent = `You can stop: the last 20 answers changed ${share} of the predictions.`;
  at("sure").hidden = !found.sure;
  at("sure").textContent = found.sure === 1 ? "Confirm a clear row" : `Confirm ${found.sure} clear rows at once`;
  at("review-count").textContent = found.disagreements ? `(${found.disagreements})` : "";
  const one = found.random;
  at("random").hidden = !task.random;
  const shown = (value) => (one.share ? percent(value) : String(Number(value.toPrecision(3))));
  const ends = one?.ends ? `, 95\u00a0% interval ${shown(one.ends[0])} to ${shown(one.ends[1])}` : "";
  at("random").textContent = one === null
    ? "Every tenth question is about a random row; these rows will estimate how well the model predicts."
    : `${one.name} on rows that nobody had answered: ${shown(one.mean)} (last ${one.n} random rows${ends}).`;
  chart(found.history);
  people().catch(() => {});
}

let counted = "";
let countedAt = -1e9;

// At most every four seconds: agreement takes longer than an answer.
async function people() {
  if (at("people").closest("details").open === false || performance.now() - countedAt < 4000) return;
  countedAt = performance.now();
  const found = await call("/api/people");
  const key = JSON.stringify(found);
  if (key === counted) return;
  counted = key;
  at("agreement").textContent = [
    found.agreement === null ? "" : `Agreement on ${found.shared} row${found.shared === 1 ? "" : "s"} that several people answered: ${found.agreement.toFixed(2)} `
      + "(Krippendorff’s alpha; 1 is perfect, 0 is chance).",
    "Seconds: the median per answer.",
    found.people.some((one) => one.reliability) ? "Reliability: how often the answers contain the true label, corrected for chance, "
      + "with a 95\u00a0% interval. It is estimated from other people, decisions and the model." : "",
  ].join(" ");
  const body = made("tbody");
  const head = made("tr");
  for (const name of ["person", "answers", "seconds", "agreement", "reliability"]) {
    const cell = made("th", name);
    cell.scope = "col";
    head.append(cell);
  }
  body.append(head);
  const two = (value) => (value === null ? "–" : value.toFixed(2));
  for (const one of found.people) {
    const line = made("tr");
    const [value, low, high] = one.reliability ?? [null];
    const cells = [one.who, one.answers, one.seconds ?? "–", two(one.agreement), two(value)];
    line.append(...cells.map((cell) => made("td", String(cell))));
    if (value !== null) line.lastChild.append(made("small", ` ${two(low)}–${two(high)}`));
    body.append(line);
  }
  at("people").querySelector("tbody")?.remove();
  at("people").append(body);
}

// How the share of complete rows and the covering rate have grown with the answers.
function chart(points) {
  const svg = at("chart");
  svg.replaceChildren();
  const [left, right, top, bottom] = [42, 312, 8, 124];
  const most = Math.max(10, ...points.map((point) => point[0]));
  const x = (answers) => left + (right - left) * (answers / most);
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
  text(`${most} answers`, right, bottom + 16, "end");
  line("complete", points.map((point) => [point[0], point[2] / task.rows]));
  line("covering", points.filter((point) => point[1] !== null).map((point) => [point[0], point[1]]));
  const last = points.at(-1) ?? [0, null, 0];
  const mark = (name, words) => {
    const item = made("span", undefined, "key");
    item.append(made("i", undefined, name), words);
    return item;
  };
  at("legend").replaceChildren(
    mark("covering", `covering rate${last[1] === null ? "" : ` ${percent(last[1])}`}: labelled rows that the model predicts without their own label`),
    mark("complete", `complete rows ${percent(last[2] / task.rows)}`),
  );
}

// ---- lists

let listed = 0;

export async function listAnswers(more = false) {
  const offset = more ? listed : 0;
  const found = await call(`/api/answers?offset=${offset}&search=${encodeURIComponent(at("search").value)}`);
  const items = found.answers.map((entry) => {
    const item = made("li");
    item.append(made("span", `row ${entry.row}: ${entry.text} ${entry.answer} (${entry.who})`));
    const back = makeButton("Undo", () => acts.undo(entry.id));
    back.setAttribute("aria-label", `Undo: row ${entry.row}, ${entry.text} ${entry.answer}`);
    item.append(back);
    return item;
  });
  more ? at("answers").append(...items) : at("answers").replaceChildren(...items);
  listed = offset + items.length;
  at("more").hidden = listed >= found.total;
  at("found").textContent = `${found.total} answer${found.total === 1 ? "" : "s"}`;
}

let rowsListed = 0;

async function listRows(more = false) {
  const offset = more ? rowsListed : 0;
  const words = encodeURIComponent(at("find-rows").value);
  const found = await call(`/api/rows?offset=${offset}&filter=${at("filter").value}&search=${words}`);
  const items = found.rows.map((row) => {
    const item = made("li");
    const open = makeButton("Answer", () => acts.next(row.row));
    open.setAttribute("aria-label", `Answer row ${row.row}`);
    const text = summary(row);
    text.lastChild.append(made("span", ` ${row.candidates}`, "set"));
    item.append(text, open);
    return item;
  });
  more ? at("rows").append(...items) : at("rows").replaceChildren(...items);
  rowsListed = offset + items.length;
  at("more-rows").hidden = rowsListed >= found.total;
  at("rows-found").textContent = `${found.total} row${found.total === 1 ? "" : "s"}`;
}

// ---- review: a row of the queue is shown in the main part, with what people have answered, and gets a decision

let reviewing = [];

async function listReview() {
  const found = await call(`/api/review?queue=${at("queue").value}`);
  for (const option of at("queue").options) {
    option.textContent = `${option.textContent.replace(/ \(\d+\)$/, "")} (${found.counts[option.value]})`;
  }
  reviewing = found.rows;
  at("reviewed").textContent = found.rows.length ? "A decision replaces all answers about the row." : "The queue is empty.";
  at("review").replaceChildren(...found.rows.map(reviewed));
}

function givenTo(one) {
  const given = one.answers.map((entry) => `${entry.who}: ${entry.text} ${entry.answer}`);
  if (one.table !== "anything") given.unshift(`Table: ${one.table}`);
  const what = one.row.candidates.includes(" | ") ? "these labels together" : "this label";
  if (one.probability !== null) given.push(`The other rows give ${what} a probability of ${percent(one.probability)}.`);
  return given;
}

const asReview = (one) => ({ question: one.question, row: one.row, given: givenTo(one) });

function reviewed(one) {
  const item = made("li", undefined, "review");
  item.append(summary(one.row), ...givenTo(one).map((text) => made("p", text, "soft")));
  const decide = makeButton("Decide", () => acts.show(asReview(one)));
  decide.setAttribute("aria-label", `Decide row ${one.row.row}`);
  item.append(decide);
  return item;
}

// The next row of the queue after one that was decided or skipped; null at the end.
export async function nextReview(skipped = null) {
  await listReview();
  const at = reviewing.findIndex((one) => one.row.row === skipped);
  const next = reviewing[at + 1];
  return next ? asReview(next) : null;
}

// ---- rows that the model is sure of, confirmed at once

async function openBatch() {
  const found = await call("/api/sure");
  if (!found.rows.length) {
    say("The model is not sure of any row yet.", true);
    return;
  }
  const labels = [...new Set(found.rows.map((one) => one.text))];
  at("grid").replaceChildren(...labels.flatMap((label) => {
    const group = made("div", undefined, "group");
    group.append(...found.rows.filter((one) => one.text === label).map(batchCell));
    return [made("h3", label), group];
  }));
  countBatch();
  at("batch").showModal();
}

function countBatch() {
  const count = at("grid").querySelectorAll("input:checked").length;
  at("accept").textContent = `Confirm ${count} row${count === 1 ? "" : "s"}`;
}

function batchCell(one) {
  const cell = made("label", undefined, "cell");
  const box = made("input");
  box.type = "checkbox";
  box.checked = true;
  box.addEventListener("change", countBatch);
  box.dataset.row = one.row.row;
  box.dataset.value = JSON.stringify(one.value);
  box.setAttribute("aria-label", `${one.text}: row ${one.row.id}, probability ${percent(one.probability)}`);
  cell.append(box, summary(one.row));
  return cell;
}

const acceptBatch = () => acts.act(async () => {
  const boxes = [...at("grid").querySelectorAll("input:checked")];
  at("batch").close();
  if (!boxes.length) return;
  const id = random(12);
  const answers = boxes.map((box) => [Number(box.dataset.row), JSON.parse(box.dataset.value)]);
  const found = await call("/api/accept", { id, answers });
  say(`${found.kept} rows confirmed. `, true);
  at("message").append(makeButton("Undo all", () => acts.undo(id)));
  progress(found.state);
  listAnswers().catch(() => {});
});

// ---- export

const download = () => acts.act(async () => {
  at("exported").textContent = "";
  const people = at("per-person").checked ? "?people=1" : "";
  const response = await fetch(`/export/${at("form").value}${people}`, { headers: { "X-Token": token } });
  if (!response.ok) {
    at("exported").textContent = (await response.json()).error;
    return;
  }
  const name = decodeURIComponent(response.headers.get("Content-Disposition").split("''")[1]);
  const link = made("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
  at("exported").textContent = `Downloaded: ${name}`;
});

// ---- events

const later = (work) => {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(() => work().catch((error) => say(explained(error))), 150);
  };
};
at("search").addEventListener("input", later(listAnswers));
at("more").addEventListener("click", () => listAnswers(true).catch((error) => say(explained(error))));
at("find-rows").addEventListener("input", later(listRows));
at("filter").addEventListener("change", later(listRows));
at("more-rows").addEventListener("click", () => listRows(true).catch((error) => say(explained(error))));
at("rows-panel").addEventListener("toggle", later(listRows));
at("queue").addEventListener("change", later(listReview));
at("review-panel").addEventListener("toggle", later(listReview));
at("sure").addEventListener("click", () => acts.act(openBatch));
at("accept").addEventListener("click", acceptBatch);
at("cancel").addEventListener("click", () => at("batch").close());
at("export").addEventListener("click", download);
