// Runs: a button that copies a folded output whole, a filter above the list of runs, links that unfold what they lead to.
(function () {
  "use strict";

  function copyButtons() {
    document.querySelectorAll(".rf-log.no-copy").forEach(function (box) {
      if (!navigator.clipboard || box.querySelector(".rf-copy-all")) return;
      var button = document.createElement("button");
      button.type = "button";
      button.className = "rf-copy-all";
      button.textContent = "copy all";
      button.addEventListener("click", function () {
        var parts = Array.prototype.map.call(box.querySelectorAll("pre"), function (one) { return one.textContent; });
        navigator.clipboard.writeText(parts.join("\n")).then(
          function () { button.textContent = "copied"; },
          function () { button.textContent = "not copied"; }
        );
        window.setTimeout(function () { button.textContent = "copy all"; }, 2000);
      });
      box.appendChild(button);
    });
  }

  // The kind of each row is told by its badge, so that the table is the same without the script.
  function kindOf(row) {
    var badge = row.querySelector("[class*='rf-kind-']");
    var found = badge && /rf-kind-(\w+)/.exec(badge.className);
    return found ? found[1] : "";
  }

  function filter(place) {
    var rows = Array.prototype.slice.call(place.parentNode.querySelectorAll("tbody tr")).filter(kindOf);
    var tables = rows.map(function (row) { return row.closest("table"); });
    var kinds = rows.map(kindOf).filter(function (one, at, all) { return all.indexOf(one) === at; });
    if (kinds.length < 2 || place.childElementCount) return;
    var label = document.createElement("span");
    label.textContent = "Show";
    place.setAttribute("role", "group");
    place.setAttribute("aria-label", "Which kinds of run are shown");
    place.appendChild(label);
    var said = document.createElement("span");
    said.setAttribute("role", "status");
    ["all"].concat(kinds).forEach(function (kind) {
      var button = document.createElement("button");
      button.type = "button";
      button.textContent = kind;
      button.setAttribute("aria-pressed", String(kind === "all"));
      button.addEventListener("click", function () {
        var shown = 0;
        place.querySelectorAll("button").forEach(function (one) {
          one.setAttribute("aria-pressed", String(one === button));
        });
        rows.forEach(function (row) {
          row.hidden = kind !== "all" && kindOf(row) !== kind;
          shown += row.hidden ? 0 : 1;
        });
        tables.forEach(function (table) {
          var none = rows.every(function (row) { return row.hidden || !table.contains(row); });
          table.toggleAttribute("data-rf-none", none);
        });
        said.textContent = shown + " of " + rows.length + " runs";
      });
      place.appendChild(button);
    });
    place.appendChild(said);
    place.hidden = false;
  }

  // Where a link leads into something folded, it opens.
  function unfold() {
    var id = decodeURIComponent(window.location.hash.slice(1));
    var there = id && document.getElementById(id);
    for (var up = there; up; up = up.parentElement) {
      if (up.tagName === "DETAILS") up.open = true;
    }
    if (there && /^cell-\d+$/.test(id)) unfoldFacts(there);
  }

  // Whoever follows a claim to a cell looks for the fact that decides it, which stands in the cell's folded table.
  function unfoldFacts(place) {
    var next = place.closest(".md-typeset > *") || place.parentElement;
    while (next && (next = next.nextElementSibling)) {
      if (next.matches("[id^='cell-'], h2") || next.querySelector("[id^='cell-']")) return;
      if (next.matches("details.rf-box")) next.open = true;
    }
  }

  function start() {
    copyButtons();
    document.querySelectorAll("[data-rf-runs]").forEach(filter);
    unfold();
  }

  window.addEventListener("hashchange", unfold);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
