// Guidelines: a small part of Markdown, as elements; nothing of the text is inserted as HTML.

import { at, made } from "./parts.js";

let texts = { general: "", classes: {} };

export function startGuidelines(given) {
  texts = given;
  const any = Boolean(given.general || Object.keys(given.classes).length);
  at("guidelines").hidden = at("guide").hidden = !any;
  at("guide").addEventListener("click", openGuidelines);
}

// The general part, then the classes of the question, then the others, folded.
export function showGuidelines(about) {
  if (at("guidelines").hidden) return;
  const named = about.filter((name) => texts.classes[name]);
  for (const place of [at("guidelines").querySelector("div"), at("guide-page").querySelector("div")]) {
    place.replaceChildren(
      ...markdown(texts.general),
      ...named.flatMap((name) => [made("h3", name), ...markdown(texts.classes[name])]),
      ...Object.keys(texts.classes).filter((name) => !named.includes(name)).map(folded),
    );
  }
}

function folded(name) {
  const part = made("details", undefined, "class");
  part.append(made("summary", name), ...markdown(texts.classes[name]));
  return part;
}

export function openGuidelines() {
  if (!at("guidelines").hidden) at("guide-page").showModal();
}

// Headings, lists, code blocks and paragraphs.
function markdown(text) {
  const found = [];
  let list = null;
  for (const block of text.split(/\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)]|#+)\s)/)) {
    const heading = block.match(/^\s*#+\s+([^\n]*)\n?([^]*)/);
    const item = block.match(/^\s*(?:[-*+]|\d+[.)])\s+([^]*)/);
    if (!item) list = null;
    if (item) {
      if (!list) found.push(list = made("ul"));
      list.append(inline(made("li"), item[1]));
    } else if (heading) {
      found.push(inline(made("h3"), heading[1]));
      if (heading[2].trim()) found.push(inline(made("p"), heading[2]));
    } else if (block.trim()) {
      found.push(inline(made("p"), block));
    }
  }
  return found;
}

// **strong**, *emphasis*, `code`, and the text of links.
function inline(element, text) {
  for (const part of text.split(/(\*\*[^*]+\*\*|\*[^*\s][^*]*\*|`[^`]+`|\[[^\]]+\]\([^)]*\))/)) {
    if (/^\*\*.+\*\*$/s.test(part)) element.append(made("strong", part.slice(2, -2)));
    else if (/^\*.+\*$/s.test(part)) element.append(made("em", part.slice(1, -1)));
    else if (/^`.+`$/s.test(part)) element.append(made("code", part.slice(1, -1)));
    else if (/^\[.+\)$/s.test(part)) element.append(part.match(/^\[([^\]]+)\]/)[1]);
    else element.append(part);
  }
  return element;
}
