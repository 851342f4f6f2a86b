// The panels beside the question: progress, people, review, rows, answers, export, guidelines, batches.

import { at, call, explained, made, makeButton, me, percent, random, say, summary, token } from "./parts.js";

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
  for (const kind of ["auto", ...task.kinds]) at("kind").append(new Option(kind === "auto" ? "cheapest until the row is known" : kind, kind));
  for (const form of task.formats) at("form").append(new Option(form, form));
  for (const name of task.names) at("names").append(new Option(name));
  notes();
  if (task.guidelines) {
    at("guidelines").hidden = false;
    at("guidelines").querySelector("div").append(...markdown(task.guidelines));
  }
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

// Headings, list items and paragraphs of Markdown; all else is text.
function markdown(text) {
  return text.split(/\n+/).filter((line) => line.trim()).map((line) => {
    const heading = line.match(/^#+\s+(.*)/);
    const item = line.match(/^\s*[-*]\s+(.*)/);
    return heading ? made("h3", heading[1]) : made("p", item ? `• ${item[1]}` : line);
  });
}

// ---- progress and people

export function progress(found) {
  const time = found.minutes === null ? "" : `, about ${found.minutes < 1 ? "one minute" : `${Math.round(found.minutes)} minutes`}`;
  at("progress").textContent = `${found.answers} answers (${found.mine} yours) · ${found.complete} of ${task.rows} rows complete${time}`
    + (found.problem ? ` · The model could not be updated: ${found.problem}` : "");
  at("bar").max = task.rows;
  at("bar").value = found.complete;
  at("stop").hidden = !found.stop;
  at("stop").textContent = `You can stop: the last 20 answers changed ${percent(found.changed)} of the predictions.`;
  at("review-count").textContent = found.disagreements ? `(${found.disagreements})` : "";
  const one = found.random;
  at("random").textContent = one === null
    ? "Every tenth question is about a random row; these rows will estimate the accuracy of the model."
    : `Accuracy on rows that nobody had answered: ${percent(one.right / one.n)} (${one.right} of the last ${one.n} random rows, `
      + `95\u00a0% interval ${percent(one.low)} to ${percent(one.high)}).`;
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
  at("agreement").textContent = found.agreement === null ? ""
    : `Agreement beyond chance on ${found.shared} rows: ${found.agreement.toFixed(2)} (Krippendorff’s alpha; 1 is perfect).`;
  const body = made("tbody");
  const head = made("tr");
  for (const name of ["person", "answers", "rows", "seconds", "alpha"]) {
    const cell = made("th", name);
    cell.scope = "col";
    head.append(cell);
  }
  body.append(head);
  for (const one of found.people) {
    const line = made("tr");
    const cells = [one.who, one.answers, one.rows, one.seconds ?? "–", one.agreement === null ? "–" : one.agreement.toFixed(2)];
    line.append(...cells.map((cell) => made("td", String(cell))));
    body.append(line);
  }
  at("people").querySelector("tbody")?.remove();
  at("people").append(body);
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
    + `${last[1] === null ? "" : ` (${percent(last[1])})`}. Dashed: uncertainty removed (${percent(Math.max(0, 1 - last[2] / start))}).`;
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

// ---- review: what people have answered, and a decision

async function listReview() {
  const found = await call(`/api/review?queue=${at("queue").value}`);
  for (const option of at("queue").options) {
    option.textContent = `${option.textContent.replace(/ \(\d+\)$/, "")} (${found.counts[option.value]})`;
  }
  at("reviewed").textContent = found.rows.length ? "A decision replaces all answers about the row." : "The queue is empty.";
  at("review").replaceChildren(...found.rows.map(reviewed));
}

function reviewed(one) {
  const item = made("li", undefined, "review");
  item.append(summary(one.row));
  const given = one.answers.map((entry) => `${entry.who}: ${entry.text} ${entry.answer}`);
  if (one.probability !== null) given.push(`The other rows give this label a probability of ${percent(one.probability)}.`);
  item.append(...[`Table: ${one.table}`, ...given].map((text) => made("p", text, "soft")));
  const input = made("input");
  input.setAttribute("list", "names");
  input.setAttribute("aria-label", `Decision for row ${one.row.row}`);
  const decide = makeButton("Decide", () => acts.act(async () => {
    const option = one.question.options.find((each) => each.text === input.value.trim());
    if (one.question.options.length && !option) {
      say("Type one of the classes.");
      return;
    }
    const body = { id: random(12), question: one.question.asked, answer: option ? option.value : input.value, review: true };
    const found = await call("/api/answer", body);
    say(`Decided: row ${one.row.row}, ${input.value}.`, true);
    progress(found.state);
    await listReview();
    await listAnswers();
  }), "send");
  const pair = made("div", undefined, "pair");
  pair.append(input, decide);
  item.append(pair);
  return item;
}

// ---- rows that the model is sure of, confirmed at once

async function openBatch() {
  const found = await call("/api/sure");
  if (!found.rows.length) {
    say("The model is not sure of any row yet.", true);
    return;
  }
  at("grid").replaceChildren(...found.rows.map((one) => {
    const cell = made("label", undefined, "cell");
    const box = made("input");
    box.type = "checkbox";
    box.checked = true;
    box.dataset.row = one.row.row;
    box.dataset.value = JSON.stringify(one.value);
    const head = made("span", undefined, "head");
    head.append(box, made("b", one.text), ` ${percent(one.probability)}`);
    cell.append(head, summary(one.row));
    return cell;
  }));
  at("batch").showModal();
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
