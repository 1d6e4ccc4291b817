/* Filters and sorts tables whose rows say what they are about; copies commands. Without it the pages are whole. */
(() => {
  "use strict";

  const NAMES = {
    status: "Status",
    verdict: "Verdict",
    tag: "Tag",
    needs: "Needs evidence",
    kind: "Has evidence",
    folder: "Folder",
    decision: "Decision",
  };
  // One value, or one for each row, is nothing to choose by; a list that nobody reads to its end neither.
  const FEWEST = 2;
  const MOST = 60;
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

  function element(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  function rowsOf(table) {
    return [...table.tBodies[0].rows].map((row, place) => {
      const about = row.querySelector("[data-rf-row]");
      const facets = {};
      for (const name of Object.keys(NAMES)) {
        const told = about.getAttribute(`data-rf-${name}`);
        facets[name] = told ? told.split("\n") : [];
      }
      return { row, place, facets, text: row.textContent.toLowerCase() };
    });
  }

  function filter(mount) {
    const article = mount.closest("article") || document.body;
    const tables = [...article.querySelectorAll("table")].filter(
      (table) => table.tBodies.length && table.querySelector("[data-rf-row]") && follows(mount, table)
    );
    if (!tables.length) return;
    const shelves = tables.map((table) => ({ table, rows: rowsOf(table), heads: headsOf(table) }));
    const all = shelves.flatMap((shelf) => shelf.rows);
    const noun = mount.getAttribute("data-rf-filter");
    const choices = {};
    const form = element("form", { class: "rf-sieve", role: "search", "aria-label": `Filter: ${noun}s` });
    const text = element("input", { type: "search", name: "text", autocomplete: "off", placeholder: "words" });
    form.append(element("label", {}, "Contains", text));
    for (const [name, title] of Object.entries(NAMES)) {
      const counts = new Map();
      for (const one of all) for (const value of one.facets[name]) counts.set(value, (counts.get(value) || 0) + 1);
      if (counts.size < FEWEST || counts.size > MOST || (counts.size === all.length && all.length > FEWEST)) continue;
      const select = element("select", { name }, element("option", { value: "" }, "any"));
      const values = [...counts.keys()].sort(collator.compare);
      for (const value of values) select.append(element("option", { value }, `${value} (${counts.get(value)})`));
      choices[name] = select;
      form.append(element("label", {}, title, select));
    }
    const reset = element("button", { type: "reset" }, "Show all");
    const told = element("p", { role: "status", "aria-live": "polite" });
    form.append(reset, told);
    mount.replaceWith(form);

    function read() {
      const wanted = new URLSearchParams(location.search);
      text.value = wanted.get("text") || "";
      for (const [name, select] of Object.entries(choices)) {
        select.value = wanted.get(name) || "";
        if (select.selectedIndex < 0) select.value = "";
      }
    }

    function write() {
      const wanted = new URLSearchParams(location.search);
      for (const [name, value] of [["text", text.value.trim()], ...Object.entries(choices).map(([n, s]) => [n, s.value])]) {
        if (value) wanted.set(name, value);
        else wanted.delete(name);
      }
      const query = wanted.toString();
      history.replaceState(history.state, "", location.pathname + (query ? `?${query}` : "") + location.hash);
    }

    function apply() {
      const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const { table, rows, heads } of shelves) {
        let here = 0;
        for (const one of rows) {
          const fits =
            words.every((word) => one.text.includes(word)) &&
            Object.entries(choices).every(([name, select]) => !select.value || one.facets[name].includes(select.value));
          one.row.hidden = !fits;
          here += fits;
        }
        shown += here;
        const wrap = table.closest(".md-typeset__scrollwrap") || table;
        for (const part of [wrap, ...heads]) part.hidden = !here;
        for (const part of heads) count(part, here, rows.length);
      }
      const plural = all.length === 1 ? noun : `${noun}s`;
      told.textContent =
        shown === all.length ? `All ${shown} ${plural}`
        : shown ? `${shown} of ${all.length} ${plural}`
        : `None of the ${all.length} ${plural} fits this filter. “Show all” brings them back.`;
      reset.disabled = shown === all.length && !text.value;
    }

    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => { apply(); write(); });
    form.addEventListener("reset", () => setTimeout(() => { apply(); write(); }));
    window.addEventListener("popstate", () => { read(); apply(); });
    read();
    apply();
  }

  /* A heading that counts what is below it counts what is shown; what it said is kept. */
  function count(part, here, of) {
    const number = part.querySelector("[data-rf-count]");
    if (!number) return;
    if (!number.dataset.rfSaid) number.dataset.rfSaid = number.textContent;
    number.textContent = here === of ? number.dataset.rfSaid : `${here} of ${number.dataset.rfSaid}`;
  }

  function follows(mount, table) {
    return Boolean(mount.compareDocumentPosition(table) & Node.DOCUMENT_POSITION_FOLLOWING);
  }

  /* The heading above a table, and what stands between both: they go when no row is left. */
  function headsOf(table) {
    const found = [];
    let one = (table.closest(".md-typeset__scrollwrap") || table).previousElementSibling;
    while (one && !/^(FORM|TABLE|H2)$/.test(one.tagName) && !one.matches(".md-typeset__scrollwrap, [data-rf-filter]")) {
      found.push(one);
      if (one.tagName === "H3") return found;
      one = one.previousElementSibling;
    }
    if (one && one.tagName === "H2" && one.id.startsWith("folder-")) return [...found, one];
    return [];
  }

  function sortable(table) {
    const heads = [...table.tHead.rows[0].cells];
    const rows = rowsOf(table);
    if (rows.length < FEWEST) return;
    heads.forEach((head, column) => {
      const button = element("button", { type: "button", class: "rf-sort" }, ...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const was = head.getAttribute("aria-sort");
        for (const other of heads) other.removeAttribute("aria-sort");
        const way = was === "ascending" ? -1 : was === "descending" ? 0 : 1;
        // Marks of verdicts say by themselves how bad their news is: the first click has the worst at the top.
        const key = (one) => {
          const cell = one.row.cells[column];
          const bar = cell.querySelector("[data-rf-rank]");
          return bar ? bar.getAttribute("data-rf-rank") : cell.textContent.trim();
        };
        // What says nothing here comes last, whichever way.
        const order = way
          ? [...rows].sort((a, b) => {
              const [one, other] = [key(a), key(b)];
              return !one - !other || way * collator.compare(one, other) || a.place - b.place;
            })
          : rows;
        if (way) head.setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
        table.tBodies[0].append(...order.map((one) => one.row));
      });
    });
  }

  function copyable(command) {
    const code = command.querySelector("code");
    if (!code || !navigator.clipboard) return;
    const button = element("button", { type: "button", class: "rf-copy" }, "copy");
    button.setAttribute("aria-label", `Copy: ${code.textContent}`);
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "copied";
      } catch {
        button.textContent = "select it";
        getSelection().selectAllChildren(code);
      }
      setTimeout(() => { button.textContent = "copy"; }, 2000);
    });
    command.append(button);
  }

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll("[data-rf-filter]").forEach(filter);
    for (const table of document.querySelectorAll("table:has([data-rf-row])")) {
      if (table.tHead && table.tBodies.length) sortable(table);
    }
    document.querySelectorAll(".rf-command").forEach(copyable);
  });
})();
