/* On a phone the rows of a table that is wider than the page become blocks, each cell with the name of its column.
   Without scripts such a table scrolls sideways. */
(() => {
  "use strict";
  const phone = window.matchMedia("screen and (max-width: 44.984375em)");
  const PLACE = ".md-typeset__scrollwrap, .rf-frame";

  const isWider = (table) => {
    const place = table.parentElement.closest(PLACE);
    if (place) return place.scrollWidth > place.clientWidth + 1;
    return table.scrollWidth > table.closest("article").clientWidth + 1;
  };

  /** What a head says in its first line, with the kind of run that it is about. */
  const nameOf = (head) => {
    const parts = [...head.childNodes];
    const end = parts.findIndex((one) => one.nodeName === "BR");
    const said = (nodes) => nodes.map((one) => one.textContent.replace(/\s+/g, " ").trim()).filter(Boolean).join(" ");
    const kind = end < 0 ? "" : said(parts.slice(end).filter((one) => one.matches?.(".rf-badge")));
    const line = said(end < 0 ? parts : parts.slice(0, end));
    return kind ? `${line} (${kind})` : line;
  };

  /** The names of the columns; none where cells do not stand one below the other. */
  const namesOf = (table) => {
    const heads = table.querySelectorAll(":scope > thead > tr");
    if (heads.length !== 1 || table.querySelector("[colspan], [rowspan]")) return [];
    const cells = [...heads[0].cells];
    return cells.length < 2 ? [] : cells.map(nameOf);
  };

  const name = (table, names) => {
    table.setAttribute("data-rf-rows", names.length);
    for (const row of table.querySelectorAll(":scope > tbody > tr")) {
      for (const [at, cell] of [...row.cells].entries()) {
        // What a row is about needs no name of its column; a bare number does. Of two columns the head is shown.
        if (names.length > 2 && names[at] && (at || /^\d+$/.test(cell.textContent.trim()))) cell.setAttribute("data-rf-column", names[at]);
      }
    }
  };

  const look = () => {
    if (!phone.matches) return;
    const wide = [...document.querySelectorAll("article table:not([data-rf-rows])")].filter(isWider);
    for (const table of wide) {
      const names = namesOf(table);
      if (names.length) name(table, names);
    }
  };
  if (window.document$) window.document$.subscribe(look);
  else document.addEventListener("DOMContentLoaded", look);
  window.addEventListener("load", look);
  phone.addEventListener("change", look);
  // What is folded has no width before it is opened.
  document.addEventListener("toggle", look, true);
})();
