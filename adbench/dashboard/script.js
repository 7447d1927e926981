"use strict";
// What pages can do beyond showing: choose the theme, sort and filter tables, compare two runs.

const byId = (id) => document.getElementById(id);

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

// Storage may be refused for files; the choice then lasts as long as the page.
const memory = {
  get() { try { return localStorage.getItem("adbench-theme"); } catch { return null; } },
  set(value) { try { localStorage.setItem("adbench-theme", value); } catch { /* nothing to do */ } },
};

function setTheme(theme) {
  document.documentElement.style.colorScheme = theme;
}

function startTheme() {
  const chosen = memory.get();
  if (chosen === "light" || chosen === "dark") setTheme(chosen);
  const button = byId("theme");
  button.hidden = false;
  button.addEventListener("click", () => {
    const now = document.documentElement.style.colorScheme
      || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    const next = now === "dark" ? "light" : "dark";
    setTheme(next);
    memory.set(next);
  });
}

function sortValue(cell) {
  if (cell === undefined) return "";
  if (cell.dataset.sort !== undefined) return Number(cell.dataset.sort);
  return cell.textContent.trim();
}

function sortBy(table, column, heading) {
  const ascending = heading.getAttribute("aria-sort") !== "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const sign = ascending ? 1 : -1;
  const rows = Array.from(table.tBodies[0].rows, (row) => [sortValue(row.cells[column]), row]);
  rows.sort(([a], [b]) => {
    // Numbers before words: what has no number was not measured.
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return sign * (typeof a === "number" ? a - b : a.localeCompare(b));
  });
  table.tBodies[0].append(...rows.map(([, row]) => row));
}

function startSorting(table) {
  Array.from(table.tHead.rows[0].cells).forEach((heading, column) => {
    const button = element("button", heading.textContent);
    button.type = "button";
    heading.replaceChildren(button);
    button.addEventListener("click", () => sortBy(table, column, heading));
  });
}

function startFilter(input) {
  const rows = Array.from(byId(input.dataset.for).tBodies[0].rows);
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.cells[0].textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      if (!row.hidden) shown += 1;
    }
    byId("filtered").textContent = words.length ? `${shown} of ${rows.length}` : "";
  });
}

function seconds(value) {
  for (const [unit, scale] of [["s", 1], ["ms", 1e-3], ["µs", 1e-6]]) {
    if (value >= scale) return `${Number((value / scale).toPrecision(3))} ${unit}`;
  }
  return `${Number((value / 1e-9).toPrecision(3))} ns`;
}

function percent(ratio) {
  const value = (ratio - 1) * 100;
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}%`;
}

// A summary is [median, low, high, minimum, samples], or [status] of a cell that was not right.
function judge(a, b, threshold) {
  if (!a || !b) return { verdict: "unknown", why: a ? "not in B" : "not in A" };
  if (a.length === 1 || b.length === 1) {
    const broken = a.length > 1 && b[0] !== "skipped";
    return { verdict: broken ? "broken" : "unknown", why: a.length === 1 ? `${a[0]} in A` : `${b[0]} in B` };
  }
  const ratio = b[0] / a[0];
  if (a[1] === null || b[1] === null) return { ratio, verdict: "unknown", why: "too few samples" };
  const low = b[1] / a[2], high = b[2] / a[1], minima = b[3] / a[3];
  const limit = 1 + threshold, half = 1 + threshold / 2;
  let verdict = "unknown", why = "too noisy";
  if (ratio > limit && low > 1 && minima > half) [verdict, why] = ["slower", ""];
  else if (ratio < 1 / limit && high < 1 && minima < 1 / half) [verdict, why] = ["faster", ""];
  else if (low >= 1 / limit && high <= limit) [verdict, why] = ["same", ""];
  return { ratio, low, high, verdict, why };
}

const CLASSES = { slower: "bad", broken: "bad", faster: "good", same: "", unknown: "quiet" };

function numberCell(text, sort) {
  const cell = element("td", text, "number");
  if (sort !== undefined) cell.dataset.sort = sort;
  return cell;
}

function comparedRow(key, data, a, b, result) {
  const [name, href] = data.names[key];
  const row = element("tr"), heading = element("th"), anchor = element("a", name);
  anchor.href = href;
  heading.scope = "row";
  heading.append(anchor);
  const time = (cell) => (cell && cell.length > 1 ? numberCell(seconds(cell[0]), cell[0]) : numberCell(cell ? cell[0] : "-"));
  const change = numberCell(result.ratio === undefined ? "-" : percent(result.ratio), result.ratio);
  const span = result.low === undefined ? "-" : `${percent(result.low)} to ${percent(result.high)}`;
  const verdict = element("td");
  verdict.append(element("b", result.verdict, CLASSES[result.verdict]), result.why ? ` ${result.why}` : "");
  row.append(heading, time(a), time(b), change, numberCell(span), verdict);
  return row;
}

function startCompare(source) {
  const data = JSON.parse(source.textContent);
  const before = byId("before"), after = byId("after"), body = byId("compared").tBodies[0];
  const order = ["broken", "slower", "faster", "unknown", "same"];
  function show() {
    const a = data.runs[before.value], b = data.runs[after.value];
    const counts = { broken: 0, slower: 0, faster: 0, same: 0, unknown: 0 };
    const logs = [];
    const rows = Object.keys(data.names).filter((key) => a.cells[key] || b.cells[key]).map((key) => {
      const result = judge(a.cells[key], b.cells[key], data.threshold);
      counts[result.verdict] += 1;
      if (result.ratio) logs.push(Math.log(result.ratio));
      return [order.indexOf(result.verdict), comparedRow(key, data, a.cells[key], b.cells[key], result)];
    });
    rows.sort(([x], [y]) => x - y);
    body.replaceChildren(...rows.map(([, row]) => row));
    const mean = Math.exp(logs.reduce((sum, value) => sum + value, 0) / logs.length);
    const words = Object.entries(counts).filter(([, count]) => count).map(([name, count]) => `${count} ${name}`);
    const machines = a.machine === b.machine ? "" : "Different machines: these ratios mix code and machine. ";
    const all = logs.length ? ` Geometric mean ${percent(mean)} over ${logs.length} cells.` : "";
    byId("summary").textContent = `${machines}${words.join(", ")}.${all}`;
    byId("summary").className = machines ? "alert" : "";
  }
  before.value = String(Math.min(1, data.runs.length - 1));
  after.value = "0";
  before.addEventListener("change", show);
  after.addEventListener("change", show);
  show();
}

startTheme();
document.querySelectorAll("table.sortable").forEach(startSorting);
document.querySelectorAll("input[type=search]").forEach(startFilter);
if (byId("runs-data")) startCompare(byId("runs-data"));
