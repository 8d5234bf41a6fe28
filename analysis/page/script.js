"use strict";
// Everything that comes from the data goes into the page by textContent or into a chart's label: never as markup.
const runs = JSON.parse(document.getElementById("data").textContent);
const page = document.getElementById("page");
const style = getComputedStyle(document.documentElement);
const colour = name => style.getPropertyValue("--" + name).trim();
const pictures = [];  // [canvas, chart or null]

function add(parent, tag, text, attributes = {}) {
  const element = document.createElement(tag);
  if (text !== null && text !== undefined) element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  parent.append(element);
  return element;
}

function seconds(value) {
  if (value === null || value === undefined) return "not measured";
  const size = Math.abs(value);
  if (size === 0) return "0 s";
  const [scaled, unit] = size >= 0.9995 ? [value, "s"] : size >= 0.9995e-3 ? [1e3 * value, "ms"] : [1e6 * value, "\u00b5s"];
  return scaled.toFixed(Math.abs(scaled) >= 99.95 ? 0 : Math.abs(scaled) >= 9.995 ? 1 : 2) + " " + unit;
}
const percent = share => share === null || share === undefined ? "not measured" : (100 * share).toFixed(share !== 0 && Math.abs(share) < 0.0995 ? 1 : 0) + " %";
const plain = value => String(value);
// Names of places differ at both ends.
const shortened = (text, most) => text.length <= most ? text :
  text.slice(0, Math.floor(most / 2) - 1) + "\u2026" + text.slice(text.length - Math.ceil(most / 2));
// What was gained against MPI's own collectives, with its interval; as the headline of the text says it.
function gain(found) {
  const {gained_s: value, gained_lower_s: lower, gained_upper_s: upper} = found;
  if (value === null || value === undefined) return "not measured";
  if (lower <= 0 && upper >= 0) return seconds(value) + " (may be nothing)";
  return seconds(value) + " (" + seconds(lower) + " to " + seconds(upper) + ")";
}

// columns: [title, function of a row, format or null for text]
function table(parent, title, columns, rows) {
  const scroll = add(parent, "div", null, {class: "scroll", tabindex: "0", role: "region", "aria-label": title});
  const element = add(scroll, "table");
  add(element, "caption", title);
  const head = add(add(element, "thead"), "tr");
  const body = add(element, "tbody");
  columns.forEach(([name, get, format], place) => {
    const cell = add(head, "th", null, {scope: "col", class: format ? "number" : "text"});
    const button = add(cell, "button", name, {type: "button"});
    button.addEventListener("click", () => {
      const down = cell.getAttribute("aria-sort") !== "descending";
      for (const other of head.children) other.removeAttribute("aria-sort");
      cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = row => { const value = get(row); return value === null || value === undefined ? -Infinity : value; };
      const sorted = [...body.rows].sort((a, b) => {
        const x = key(a.patRow), y = key(b.patRow);
        return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
      });
      body.append(...sorted);
    });
  });
  for (const row of rows) {
    const line = add(body, "tr");
    line.patRow = row;
    for (const [, get, format] of columns) {
      const value = get(row);
      add(line, "td", format ? format(value) : value, {class: format ? "number" : "text"});
    }
  }
}

Chart.defaults.animation = false;
Chart.defaults.maintainAspectRatio = false;
// Text and lines of the charts, in the colours of the screen, or of the paper.
function paintCharts() {
  const text = colour("faint"), line = colour("line");
  Chart.defaults.color = text;
  Chart.defaults.borderColor = line;
  for (const [, one] of pictures) {
    if (!one) continue;
    for (const scale of Object.values(one.options.scales))
      scale.ticks.color = scale.title.color = text, scale.grid.color = line;
    one.options.plugins.legend.labels.color = text;
    one.update();
  }
}
paintCharts();
for (const media of ["print", "(prefers-color-scheme: dark)"]) matchMedia(media).addEventListener("change", paintCharts);

function chart(parent, label, settings) {
  const figure = add(parent, "figure");
  const canvas = add(add(figure, "div", null, {class: "chart"}), "canvas", null, {role: "img", "aria-label": label});
  add(figure, "figcaption", label);
  pictures.push([canvas, new Chart(canvas, settings)]);
}
const axes = (x, y, stacked = false) => ({
  x: {title: {display: true, text: x}, stacked}, y: {title: {display: true, text: y}, stacked, beginAtZero: true}});

function tiles(parent, numbers) {
  const list = add(parent, "dl", null, {class: "numbers"});
  for (const [name, text] of numbers) {
    const box = add(list, "div");
    add(box, "dt", name);
    add(box, "dd", text);
  }
}
// The four that the sentence above them goes by.
function headline(parent, found) {
  const skew = found.skew_s || 1;
  tiles(parent, [
    ["waiting for who is late", percent(found.skew_share)],
    ["of it, could carry data", percent(found.recoverable_skew_s === null ? null : found.recoverable_skew_s / skew)],
    ["of it, only balance", percent(found.balance_only_skew_s === null ? null : found.balance_only_skew_s / skew)],
    ["gained against MPI's own, elapsed", gain(found)]]);
}
function sums(parent, found) {
  tiles(parent, [
    ["skew, all ranks", seconds(found.skew_s)],
    ["transfer, all ranks", seconds(found.transfer_s)],
    ["waiting in messages, all ranks", seconds(found.in_messages_s)],
    ["load balance", percent(found.load_balance)],
    ["communication efficiency", percent(found.communication_efficiency)],
    ["parallel efficiency", percent(found.parallel_efficiency)],
    ["wall time", seconds(found.wall_s)],
    ["elapsed in what was recorded", seconds(found.elapsed_s)]]);
}
// What the bounds and the simulations take messages to cost.
function networkNote(network) {
  const {alpha_s, beta_s_per_byte, measured} = network;
  return "Bounds and simulations take a message to cost " + seconds(alpha_s) + " and " + seconds(beta_s_per_byte * 1048576) +
    " for each MiB: " + (measured ? "the costs of this run." : "a common network, as nothing says what this run's messages cost.");
}
// "mean_imbalance_s" to "mean imbalance, s"; names of settings stay.
const units = {s: ", s", bytes: ", bytes"};
function inWords(key) {
  if (key.startsWith("PAT_")) return key;
  const words = key.split("_");
  const unit = words.length > 1 ? units[words.at(-1)] : undefined;
  return (unit ? words.slice(0, -1) : words).join(" ") + (unit || "");
}

const beyond = [214, 39, 40]; // what is later than the scale is red
const ramp = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
function shade(share) {
  const place = Math.min(Math.max(share, 0), 1) * (ramp.length - 1), left = Math.min(Math.floor(place), ramp.length - 2);
  return ramp[left].map((value, i) => Math.round(value + (place - left) * (ramp[left + 1][i] - value)));
}
function drawMap(parent, map) {
  const latest = map.latest_s.reduce((a, b) => Math.max(a, b), 0);
  // One call that is much later than all others must not leave these in the dark.
  const sorted = [...map.latest_s].sort((a, b) => a - b), most = sorted[Math.floor(0.99 * (sorted.length - 1))];
  const brightest = most > 0 && latest > 4 * most ? most : latest;
  const label = "Lateness of ranks 0 to " + (map.processes.length - 1) + " (downwards) over " + map.iterations +
    " iterations (to the right): each tile is the latest arrival in it, up to " + seconds(latest);
  const figure = add(parent, "figure");
  const canvas = add(figure, "canvas", null, {class: "map", role: "img", "aria-label": label, width: map.columns, height: map.rows});
  const context = canvas.getContext("2d"), image = context.createImageData(map.columns, map.rows);
  map.latest_s.forEach((value, i) => image.data.set([...value > brightest ? beyond : shade(brightest > 0 ? value / brightest : 0), 255], 4 * i));
  context.putImageData(image, 0, 0);
  pictures.push([canvas, null]);
  const caption = add(figure, "figcaption", label + ". 0 s ");
  add(caption, "span", null, {class: "scale", "aria-hidden": "true"});
  caption.append(" " + seconds(brightest) + (brightest < latest ? ", red: later" : ""));
}

const calls = (number) => number + (number === 1 ? " call" : " calls");

function drawPlace(parent, place) {
  add(parent, "h4", place.place || "(no name)");
  add(parent, "p", calls(place.iterations) + " of " + place.processes + " processes; skew " + seconds(place.skew_s) +
    ", mean imbalance " + seconds(place.mean_imbalance_s) + "; balance would save " + seconds(place.saved_if_balanced_s) +
    ", moving data meanwhile up to " + seconds(place.recoverable_s) + " (bound).");
  const played = place.played; // older reports lack it
  if (played)
    add(parent, "p", "Simulated, from " + calls(played.calls) + ": as they were done " + seconds(played.as_done_s) + "; " +
      (played.algorithm ? "by " + played.algorithm + " " + seconds(played.saved_s) + " less" : "by no other algorithm less") +
      "; had the arrivals been known beforehand, " + seconds(played.saved_if_known_s) + " less.");
  const better = place.forecast && place.forecast.better_model;
  if (better)
    add(parent, "p", "Forecasts by " + better.model + " would have a mean error of " + seconds(better.mean_error_s) +
      (better.mean_error_without_hints_s === null ? "." : ", without the program's hints " + seconds(better.mean_error_without_hints_s) + "."));
  const pair = add(parent, "div", null, {class: "pair"});
  const {width_s, counts} = place.histogram;
  chart(pair, "Arrivals after the first of their call", {type: "bar",
    data: {labels: counts.map((_, i) => seconds((i + 0.5) * width_s)), datasets: [{label: "arrivals", data: counts, backgroundColor: colour("c")}]},
    options: {scales: axes("after the first arrival", "arrivals"), plugins: {legend: {display: false}}}});
  if ((place.algorithms || []).length > 0)
    table(parent, "What did the calls", [["algorithm", r => r.algorithm], ["calls", r => r.calls, plain],
      ["after the last arrival, median", r => r.after_last_s, seconds], ["gained against mpi, elapsed", r => r.gained_s, seconds],
      ["at least", r => r.gained_lower_s, seconds], ["at most", r => r.gained_upper_s, seconds]], place.algorithms);
  const f = place.forecast;
  if (f === null) {
    add(pair, "p", "No forecast: computing phases were not recorded or too short here (a region, or PAT_ProcessingStart).");
    return;
  }
  chart(pair, "Forecast (" + f.model + ") against arrival of rank " + f.rank + ", for which others waited most: mean error " +
    seconds(f.mean_error_s) + " (with an edge at 0.9: " + seconds(f.mean_error_with_edge_s) + "), the interval held " + percent(f.coverage), {
    type: "line",
    data: {labels: f.arrival_s.map((_, i) => f.first_iteration + i), datasets: [
      {label: "interval", data: f.upper_s, borderWidth: 0, pointRadius: 0, fill: "+1", backgroundColor: colour("b") + "55"},
      {label: "interval's lower end", data: f.lower_s, borderWidth: 0, pointRadius: 0},
      {label: "forecast", data: f.forecast_s, borderColor: colour("b"), borderWidth: 2, pointRadius: 0},
      {label: "arrival", data: f.arrival_s, borderColor: colour("c"), borderWidth: 1, pointRadius: 1}]},
    options: {scales: axes("call", "seconds after its first start"),
      plugins: {legend: {labels: {filter: item => item.text !== "interval's lower end"}}}}});
}

// "solver -n 3, 8 processes": by the command where the report has it, else by the file.
function titleOf(run) {
  const command = run.settings.program;
  if (!command) return run.name;
  const words = String(command).split(" ");
  return shortened([words[0].replace(/.*\//, ""), ...words.slice(1)].join(" "), 60) + ", " + run.analysis.processes + " processes";
}

function drawRun(run, number) {
  const found = run.analysis;
  const section = add(page, "section", null, {id: "run" + number, "aria-label": run.name});
  const title = titleOf(run);
  add(section, "h2", title);
  if (title !== run.name) add(section, "p", (run.settings.begin ? "begun " + run.settings.begin + "; " : "") + run.name);
  if (run.settings.complete === false) add(section, "p", "The program ended early: this is what was recorded up to then.");
  if (found.summary) add(section, "p", found.summary, {class: "summary"}); // older reports lack it
  headline(section, found);
  add(section, "h3", "What would help");
  if (found.advice.length === 0) add(section, "p", "Nothing that would save 1 % of the elapsed time, and at least 1 ms.");
  const list = add(section, "ol");
  for (const advice of found.advice) add(list, "li", advice.sentence + (advice.sentence.endsWith("?") ? "" : "."));
  if (found.advice.length > 1) add(section, "p", "Each alone: what two of them save does not add up.", {class: "note"});
  for (const rank of run.slow_links)
    add(section, "p", "The link of rank " + rank + " is much slower than the others': its blocks are served beside theirs, and its node's network is worth a look.");
  add(section, "h3", "Who makes the others wait");
  if (found.culprits.length > 0) {
    const top = found.culprits.filter(one => one.charged_s >= 0.005 * found.culprits[0].charged_s).slice(0, 12);
    const alone = top.every(one => one.place === top[0].place);
    const label = one => "rank " + one.rank + (alone ? "" : ": " + shortened(one.place, 40));
    chart(section, "What others waited for each rank" + (alone ? ": " + top[0].place : ""), {type: "bar",
      data: {labels: top.map(label), datasets: [
        {label: "others waited, s", data: top.map(one => one.charged_s), backgroundColor: colour("a")}]},
      options: {indexAxis: "y", scales: axes("seconds, all who waited", ""), plugins: {legend: {display: false}}}});
    table(section, "Culprits", [["rank", r => r.rank, plain], ["where", r => r.place], ["others waited", r => r.charged_s, seconds],
      ["share of the skew", r => r.share, percent], ["times last", r => r.times_last, plain], ["of calls", r => r.iterations, plain],
      ["saved if on time", r => r.saved_if_on_time_s, seconds]], found.culprits);
  }
  add(section, "h3", "Where the time went");
  sums(section, found);
  if (run.network && found.recoverable_skew_s !== null) add(section, "p", networkNote(run.network), {class: "note"});
  for (const map of found.maps) if (map.latest_s.length > 0) drawMap(section, map);
  table(section, "Ranks", [["rank", r => r.rank, plain], ["computing", r => r.computing_s, seconds], ["waited", r => r.waited_s, seconds],
    ["in messages", r => r.in_messages_s, seconds], ["others waited for it", r => r.charged_s, seconds], ["times last", r => r.times_last, plain],
    ["saved if on time", r => r.saved_if_on_time_s, seconds]], found.ranks);
  if (found.level_changes && found.level_changes.length > 0)
    table(section, "Ranks whose level changed", [["rank", r => r.rank, plain], ["where", r => r.place], ["from call", r => r.first_call, plain],
      ["calls", r => r.calls, plain], ["longer a call", r => r.size_s, seconds], ["in all", r => r.added_s, seconds],
      ["for good", r => r.for_good ? "yes" : "no, it went back"]], found.level_changes);
  add(section, "h3", "Where");
  table(section, "Calls and regions", [["where", r => r.place], ["processes", r => r.processes, plain], ["calls", r => r.iterations, plain],
    ["skew", r => r.skew_s, seconds], ["mean imbalance", r => r.mean_imbalance_s, seconds],
    ["saved if balanced", r => r.saved_if_balanced_s, seconds], ["recoverable", r => r.recoverable_s, seconds]], found.places);
  for (const place of found.places.slice(0, 8)) drawPlace(section, place);
  if (run.choices.length > 0) {
    add(section, "h3", "What was chosen and why");
    const algorithms = r => Object.entries(r.calls_by_algorithm).map(([name, calls]) => name + " " + calls).join(", ");
    table(section, "Decisions", [["operation", r => r.operation], ["root", r => r.root, root => root === null ? "-" : plain(root)], ["block bytes", r => r.block_bytes, plain],
      ["calls", r => r.calls, plain], ["algorithms", algorithms],
      ["why", r => r.reasons.map(one => one.calls + " x " + one.reason).join("; ")]], run.choices);
  }
  table(section, "Settings and machine", [["what", r => r[0]], ["value", r => r[1] === null ? "not known" : String(r[1])]],
    Object.entries(run.settings).map(([key, value]) => [inWords(key), value]));
}

const contents = document.getElementById("contents");
if (runs.length > 1) {
  runs.forEach((run, i) => { contents.append(" "); add(contents, "a", run.name, {href: "#run" + i}); });
  table(page, "Runs side by side", [["run", r => r.name], ["wall time", r => r.analysis.wall_s, seconds], ["elapsed in what was recorded", r => r.analysis.elapsed_s, seconds],
    ["skew", r => r.analysis.skew_s, seconds], ["share", r => r.analysis.skew_share, percent], ["transfer", r => r.analysis.transfer_s, seconds],
    ["gained against mpi, elapsed", r => r.analysis.gained_s, seconds], ["at least", r => r.analysis.gained_lower_s, seconds],
    ["at most", r => r.analysis.gained_upper_s, seconds],
    ["load balance", r => r.analysis.load_balance, percent], ["communication", r => r.analysis.communication_efficiency, percent],
    ["parallel", r => r.analysis.parallel_efficiency, percent]], runs);
}
// Of the time that was recorded what none of the other parts is.
const rest = a => Math.max(0, a.elapsed_s * a.processes - a.skew_s - (a.transfer_s || 0) - (a.in_messages_s || 0) -
  a.ranks.reduce((sum, r) => sum + r.computing_s, 0));
const part = (label, name, get) => ({label, data: runs.map(run => get(run.analysis)), backgroundColor: colour(name)});
chart(page, "Time of all ranks: computing and waiting", {type: "bar",
  data: {labels: runs.map(run => run.name), datasets: [
    part("computing", "d", a => a.ranks.reduce((sum, r) => sum + r.computing_s, 0)),
    part("waiting that could carry data", "b", a => a.recoverable_skew_s || 0),
    part("other waiting", "a", a => a.balance_only_skew_s === null ? a.skew_s : a.balance_only_skew_s),
    part("transfer", "c", a => a.transfer_s || 0),
    part("waiting in messages", "e", a => a.in_messages_s || 0),
    part("the rest: pauses, what lies between calls and phases", "line", rest)]},
  options: {indexAxis: "y", scales: axes("seconds of all ranks", "", true)}});
runs.forEach(drawRun);

if (location.hash === "#count") { // for tests: how many pictures there are, and in how many something is drawn
  const drawn = ([canvas]) => canvas.width > 0 && canvas.height > 0 &&
    canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some(value => value !== 0);
  document.documentElement.dataset.pictures = pictures.length;
  document.documentElement.dataset.drawn = pictures.filter(drawn).length;
}
addEventListener("beforeprint", () => pictures.forEach(([, one]) => one && one.resize()));
