// SPDX-License-Identifier: Apache-2.0
// Sends files and folders, and says what went wrong. Everything else is htmx and the server's pages.
"use strict";

const message = () => document.getElementById("message");

function say(text) {
  const place = message();
  place.textContent = text;
  place.hidden = !text;
}

// A file as it is, or the files of a folder: [path, file] for each.
function send(form, file, parts) {
  const number = document.querySelector("meta[name=session]").content;
  const shown = document.getElementById("sent");
  const request = new XMLHttpRequest();
  const column = form.dataset.column ? `&column=${encodeURIComponent(form.dataset.column)}` : "";
  let body = file;
  if (parts) {
    request.open("POST", form.dataset.folder);
    body = new FormData();
    for (const [path, part] of parts) body.append(path, part, "part");
  } else {
    request.open("PUT", `${form.dataset.address}?name=${encodeURIComponent(file.name)}${column}`);
    request.setRequestHeader("content-type", "application/octet-stream");
  }
  request.setRequestHeader("x-discreet-request", number);
  request.upload.addEventListener("progress", (event) => {
    shown.hidden = false;
    shown.value = event.lengthComputable ? event.loaded / event.total : 0;
  });
  request.addEventListener("load", () => {
    if (request.status === 204) window.location.assign(form.dataset.next || "/data");
    else if (request.status === 200) { shown.hidden = true; document.getElementById(form.dataset.shown).innerHTML = request.responseText; }
    else { shown.hidden = true; say(request.responseText); }
  });
  request.addEventListener("error", () => { shown.hidden = true; say("The file was not sent: the studio did not answer, or refused it."); });
  say("");
  if (file && form.dataset.most && file.size > Number(form.dataset.most)) return say(form.dataset.tooLarge);
  request.send(body);
}

// All files below what was dropped, with their paths.
async function below(entry, path) {
  if (entry.isFile) return [[path + entry.name, await new Promise((done, failed) => entry.file(done, failed))]];
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (!some.length) return found;
    for (const one of some) found.push(...await below(one, `${path}${entry.name}/`));
  }
}

async function dropped(form, event) {
  const entry = event.dataTransfer.items[0] && event.dataTransfer.items[0].webkitGetAsEntry();
  const file = event.dataTransfer.files[0];
  if (entry && entry.isDirectory && form.dataset.folder) send(form, null, await below(entry, ""));
  else if (entry && entry.isDirectory) say("This is a folder. Drop a file.");
  else if (file) send(form, file);
}

document.addEventListener("DOMContentLoaded", () => {
  const here = document.querySelector("header nav [aria-current]");
  if (here) here.scrollIntoView({ inline: "center", block: "nearest" });
  const form = document.getElementById("drop");
  if (!form) return;
  form.addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("file").addEventListener("change", (event) => { if (event.target.files[0]) send(form, event.target.files[0]); });
  for (const name of ["dragover", "dragleave", "drop"]) {
    form.addEventListener(name, (event) => {
      event.preventDefault();
      form.classList.toggle("over", name === "dragover");
      if (name === "drop") dropped(form, event);
    });
  }
  const folder = document.getElementById("folder");
  if (folder) folder.addEventListener("change", () => {
    if (folder.files.length) send(form, null, [...folder.files].map((file) => [file.webkitRelativePath, file]));
  });
});

document.addEventListener("htmx:responseError", (event) => say(event.detail.xhr.responseText));
document.addEventListener("htmx:sendError", () => say("The studio does not answer. Is it still running?"));
document.addEventListener("htmx:afterRequest", (event) => { if (event.detail.successful) say(""); });

// Pictures are drawn by Vega-Lite, its expressions by an interpreter: nothing is evaluated, and no style is inserted.
// On a dark screen they are drawn in lighter colours. A point that has an address leads there.
const views = new Map();
const night = matchMedia("(prefers-color-scheme: dark)");

async function draw(plot) {
  const lighter = JSON.parse(plot.dataset.lighter);
  const text = plot.dataset.spec.replace(/#[0-9a-f]{6}/g, (colour) => (night.matches && lighter[colour]) || colour);
  const runtime = vega.parse(vegaLite.compile(JSON.parse(text)).spec, null, { ast: true });
  if (views.has(plot)) views.get(plot).finalize();
  const view = new vega.View(runtime, { expr: vega.expressionInterpreter, renderer: "svg", container: plot, hover: true });
  views.set(plot, view);
  view.addEventListener("click", (event, item) => { if (item && item.datum && item.datum.address) window.location.assign(item.datum.address); });
  await view.runAsync();
}

function drawAll(place) {
  for (const [plot, view] of views) if (!document.contains(plot)) { view.finalize(); views.delete(plot); }
  for (const plot of place.querySelectorAll(".plot")) draw(plot);
}

document.addEventListener("DOMContentLoaded", () => drawAll(document));
document.addEventListener("htmx:afterSwap", (event) => drawAll(event.detail.target));
night.addEventListener("change", () => drawAll(document));

// A slider says its value beside it.
document.addEventListener("input", (event) => {
  const place = event.target.dataset && event.target.dataset.shown && document.getElementById(event.target.dataset.shown);
  if (place) place.textContent = event.target.value === event.target.dataset.off ? "not asked" : event.target.value;
});

// A part of a group is moved by dragging it onto another group of the same level.
let dragged = null;
document.addEventListener("dragstart", (event) => { dragged = event.target.closest && event.target.closest("[data-part]"); });
document.addEventListener("dragover", (event) => {
  const group = dragged && target(event);
  for (const old of document.querySelectorAll(".groups > .over")) if (old !== group) old.classList.remove("over");
  if (group) { event.preventDefault(); group.classList.add("over"); }
});
document.addEventListener("dragend", () => { for (const old of document.querySelectorAll(".groups > .over")) old.classList.remove("over"); });
document.addEventListener("drop", (event) => {
  const group = dragged && target(event);
  if (!group) return;
  event.preventDefault();
  const form = group.closest("form");
  const values = { column: form.elements.column.value, level: dragged.dataset.level, what: "move", part: dragged.dataset.part, to: group.dataset.label };
  htmx.ajax("POST", "/hierarchies/edit", { target: "#tree", values, source: form.parentElement });
  dragged = null;
});

function target(event) {
  const group = event.target.closest && event.target.closest("[data-label]");
  return group && group.dataset.level === dragged.dataset.level && !group.contains(dragged) ? group : null;
}
