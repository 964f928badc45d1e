"use strict";
(function () {
  var root = document.documentElement;
  var kept = null;
  try { kept = localStorage.getItem("theme"); } catch (refused) { kept = null; }
  if (kept === "light" || kept === "dark") { root.dataset.theme = kept; }

  function dark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }

  function themes() {
    var button = document.getElementById("theme");
    function label() { button.textContent = dark() ? "Light theme" : "Dark theme"; }
    button.hidden = false;
    label();
    button.addEventListener("click", function () {
      root.dataset.theme = dark() ? "light" : "dark";
      try { localStorage.setItem("theme", root.dataset.theme); } catch (refused) { return label(); }
      label();
    });
  }

  // A cell sorts by the first number in its text; a dash (undefined) always comes last.
  function key(cell, numeric) {
    var text = cell.textContent.trim();
    if (!numeric) { return text; }
    var found = /[0-9][0-9.,]*/.exec(text);
    if (!found) { return null; }
    var number = parseFloat(found[0].replace(/,/g, ""));
    return text.charAt(found.index - 1) === "\u2212" ? -number : number;
  }

  function sort(table, column, header) {
    var down = header.getAttribute("aria-sort") === "ascending";
    var numeric = header.classList.contains("n");
    var body = table.tBodies[0];
    var rows = Array.from(body.rows).map(function (row, place) {
      return { row: row, place: place, key: key(row.cells[column], numeric) };
    });
    rows.sort(function (a, b) {
      if (a.key === null || b.key === null) { return (a.key === null) - (b.key === null) || a.place - b.place; }
      var order = numeric ? a.key - b.key : a.key.localeCompare(b.key);
      return (down ? -order : order) || a.place - b.place;
    });
    rows.forEach(function (item) { body.appendChild(item.row); });
    table.querySelectorAll("thead th").forEach(function (other) { other.setAttribute("aria-sort", "none"); });
    header.setAttribute("aria-sort", down ? "descending" : "ascending");
  }

  function tables() {
    document.querySelectorAll(".table table").forEach(function (table) {
      table.querySelectorAll("thead th").forEach(function (header, column) {
        header.querySelector("button").addEventListener("click", function () { sort(table, column, header); });
      });
      var search = table.closest(".table").querySelector("input[type=search]");
      if (!search) { return; }
      var told = search.closest(".tools").querySelector("output");
      search.addEventListener("input", function () {
        var words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
        var shown = 0;
        Array.from(table.tBodies[0].rows).forEach(function (row) {
          var text = row.textContent.toLowerCase();
          row.hidden = !words.every(function (word) { return text.includes(word); });
          shown += row.hidden ? 0 : 1;
        });
        told.textContent = words.length ? shown + " of " + table.tBodies[0].rows.length + " rows" : "";
      });
    });
  }

  // What a mark shows: on hover, and with the arrow keys when its chart has the focus.
  function marks() {
    var tip = document.getElementById("tip");
    function show(mark, x, y) {
      tip.textContent = mark.getAttribute("data-t");
      tip.hidden = false;
      var box = tip.getBoundingClientRect();
      tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - box.width - 8)) + "px";
      tip.style.top = (y + 18 + box.height > innerHeight ? y - box.height - 12 : y + 18) + "px";
    }
    document.addEventListener("mousemove", function (event) {
      var mark = event.target.closest ? event.target.closest("[data-t]") : null;
      if (mark && mark.getAttribute("data-t")) { show(mark, event.clientX, event.clientY); } else { tip.hidden = true; }
    });
    document.addEventListener("keydown", function (event) {
      var chart = document.activeElement;
      var step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (event.key === "Escape") { tip.hidden = true; }
      if (!step || !chart || !chart.matches("svg.chart")) { return; }
      var all = Array.from(chart.querySelectorAll("[data-t]"));
      if (!all.length) { return; }
      var old = all.findIndex(function (mark) { return mark.classList.contains("on"); });
      if (old >= 0) { all[old].classList.remove("on"); }
      var mark = all[(old + step + all.length) % all.length];
      mark.classList.add("on");
      var box = mark.getBoundingClientRect();
      show(mark, box.right, box.top);
      event.preventDefault();
    });
    document.addEventListener("focusout", function (event) {
      if (event.target.matches && event.target.matches("svg.chart")) {
        event.target.querySelectorAll(".on").forEach(function (mark) { mark.classList.remove("on"); });
        tip.hidden = true;
      }
    });
  }

  function windows() {
    var seats = document.getElementById("seats");
    var unfold = document.getElementById("unfold");
    if (seats) {
      seats.disabled = false;
      seats.addEventListener("change", function () {
        document.querySelectorAll(".entry").forEach(function (entry) {
          entry.hidden = seats.value !== "" && entry.dataset.seat !== seats.value;
        });
      });
    }
    if (unfold) {
      unfold.hidden = false;
      unfold.addEventListener("click", function () {
        var open = unfold.textContent === "Open all";
        document.querySelectorAll("details.window").forEach(function (item) { item.open = open; });
        unfold.textContent = open ? "Close all" : "Open all";
      });
    }
  }

  function folded() {
    if (!location.hash) { return; }
    var target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (var item = target; item; item = item.parentElement) {
      if (item.tagName === "DETAILS") { item.open = true; }
    }
    if (target) { target.scrollIntoView(); }
  }

  addEventListener("hashchange", folded);
  document.addEventListener("DOMContentLoaded", function () {
    var contents = document.getElementById("contents");
    if (contents && innerWidth < 1100) { contents.open = false; }
    themes();
    tables();
    marks();
    windows();
    folded();
  });
})();
