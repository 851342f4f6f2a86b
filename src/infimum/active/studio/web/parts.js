// What all parts of the studio share: requests, elements, and rows as people see them.
// Cells and names are inserted as text, never as HTML.

export const token = new URLSearchParams(location.search).get("token") ?? "";
export const at = (id) => document.getElementById(id);
export const me = { who: "", tab: sessionStorage.getItem("tab") ?? random(6) };
sessionStorage.setItem("tab", me.tab);

export function random(length) {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export async function call(path, body) {
  const options = { headers: { "X-Token": token } };
  if (body !== undefined) {
    options.method = "POST";
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify({ ...me, ...body });
  }
  const response = await fetch(path, options);
  const found = await response.json();
  if (!response.ok) throw Object.assign(new Error(found.error ?? response.statusText), { status: response.status, table: found.table });
  return found;
}

export function made(tag, text, ...classes) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  element.classList.add(...classes);
  return element;
}

export function makeButton(text, act, ...classes) {
  const element = made("button", text, ...classes);
  element.type = "button";
  element.addEventListener("click", act);
  return element;
}

export function say(text, calm = false) {
  at("message").textContent = text;
  at("message").classList.toggle("calm", calm);
}

export const explained = (error) =>
  error.status ? error.message : "The studio does not answer. Is it still running? Nothing was lost: try again.";

export const percent = (share) => (share === null ? "–" : `${Math.round(100 * share)}\u00a0%`);

// Text in which the words of a search are marked.
export function marked(element, text, words) {
  const wanted = words.filter((word) => word.length > 1).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (!wanted.length) {
    element.textContent = text;
    return element;
  }
  for (const part of text.split(new RegExp(`(${wanted.join("|")})`, "i"))) {
    element.append(words.some((word) => word.toLowerCase() === part.toLowerCase()) ? made("mark", part) : part);
  }
  return element;
}

export const searched = () => at("find-rows").value.split(/\s+/).filter(Boolean);

export function imageOf(row, cell, small = false) {
  const image = made("img");
  image.alt = `${cell.column} of row ${row.row}: ${cell.text}`;
  image.src = `/image/${row.row}/${encodeURIComponent(cell.column)}?token=${encodeURIComponent(token)}${small ? "&small=1" : ""}`;
  return image;
}

// A row in a list: its image, or its first texts.
export function summary(row) {
  const place = made("div", undefined, "summary");
  const image = row.cells.find((cell) => cell.image);
  if (image) place.append(imageOf(row, image, true));
  const words = row.cells.filter((cell) => !cell.image && cell.text).map((cell) => cell.text).join(" · ");
  const name = String(row.row) === row.id ? `Row ${row.row}` : row.id;
  const text = made("span", `${name} `);
  text.append(marked(made("span", undefined, "soft"), words.length > 160 ? `${words.slice(0, 159)}…` : words, searched()));
  place.append(text);
  return place;
}
