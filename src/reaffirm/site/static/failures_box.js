/* The box that a log is pasted into, on the index of failure modes. Nothing leaves the page: the signatures
   are fetched from the same site, the lines are read here. Text is only ever set as text. */
(() => {
  "use strict";
  const shared = (globalThis.reaffirm = globalThis.reaffirm || {});
  const LARGE = 200000; // characters; a text field with more of them makes a browser slow
  const SHOWN_LINES = 500;
  const EVIDENCE = 6;
  const ENDED_SOMEHOW = -1; // as in Python: it ended, nobody says with which status
  const NAMES = { vllm: "vLLM", sglang: "SGLang" };

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === true) element.setAttribute(name, "");
      else if (value !== false) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== null));
    return element;
  }

  const named = (engine) => NAMES[engine] || engine;
  const several = (number, one, more = `${one}s`) => `${number} ${number === 1 ? one : more}`;
  const breath = () => new Promise((resolve) => setTimeout(resolve, 0));

  /** Run a reading in short pieces, so that the page stays alive; null where a newer one has begun. */
  async function inPieces(reading, isCurrent) {
    let until = performance.now() + 20;
    let step = reading.next();
    while (!step.done) {
      if (performance.now() > until) {
        await breath();
        if (!isCurrent()) return null;
        until = performance.now() + 20;
      }
      step = reading.next();
    }
    return step.value;
  }

  function option(value, text) {
    return make("option", { value }, text);
  }

  function field(label, control, hint = "") {
    const name = make("span", { class: "rf-log-name" }, label);
    return make("label", { class: "rf-log-field" }, name, control, hint ? make("small", {}, hint) : null);
  }

  /** The text of a line, with what the patterns found in it marked. */
  function marked(line) {
    const spans = (line.patterns || [])
      .map((pattern) => pattern.regex.exec(line.text))
      .filter((found) => found && found[0])
      .map((found) => [found.index, found.index + found[0].length])
      .sort((a, b) => a[0] - b[0]);
    const out = [];
    let at = 0;
    for (const [begin, end] of spans) {
      if (begin < at) continue;
      out.push(line.text.slice(at, begin), make("mark", {}, line.text.slice(begin, end)));
      at = end;
    }
    out.push(line.text.slice(at));
    return out;
  }

  function evidence(one) {
    const list = make("ul", { class: "rf-log-lines" });
    for (const line of one.evidence.slice(0, EVIDENCE)) {
      const where = line.number ? `${line.node}, line ${line.number}` : line.node;
      const at = make("span", { class: "rf-log-at" }, where);
      const text = line.number ? make("code", {}, ...marked(line)) : make("em", {}, line.text);
      list.append(make("li", {}, at, " ", text));
    }
    if (one.evidence.length > EVIDENCE) {
      list.append(make("li", {}, `and ${one.evidence.length - EVIDENCE} more`));
    }
    return list;
  }

  /** What was found, in one sentence without its end. */
  function verdict(fits, perhaps, all) {
    const ifSilent = "if nothing new came after the last line";
    if (!fits && !perhaps) return `None of the ${all} pages fits`;
    if (!fits) return `${several(perhaps, "page fits", "pages fit")} ${ifSilent}`;
    const found = several(fits, "page fits", "pages fit");
    return perhaps ? `${found}, and ${perhaps} more ${ifSilent}` : found;
  }

  /** Which lines were read, and as what. */
  function howRead(seen, paste) {
    const engines = seen.readings.map((one) => [named(one.engine), one.version].filter(Boolean).join(" "));
    const read = [`${several(seen.lines - seen.leftOut, "line")}, read as of ${engines.join(" or ")}`];
    if (seen.leftOut) read.push(`${several(seen.leftOut, "line")} before them were left out`);
    if (paste.ended === ENDED_SOMEHOW) read.push("the container ended, status not known");
    return read.join("; ");
  }

  class Box {
    constructor(place) {
      this.place = place;
      this.run = 0;
      this.held = null;
      this.data = null;
      this.links = new Map();
      for (const one of document.querySelectorAll("[data-rf-failure]")) {
        const link = one.matches("a") ? one : one.querySelector("a[href]");
        const id = one.getAttribute("data-rf-failure");
        if (link && !this.links.has(id)) this.links.set(id, link.href);
      }
      this.source = [...document.querySelectorAll("a[href]")].find((a) => a.href.endsWith("/failures.json"));
      this.build();
    }

    build() {
      this.text = make("textarea", {
        id: "rf-log-text",
        rows: "9",
        spellcheck: "false",
        autocomplete: "off",
        autocapitalize: "off",
        wrap: "off",
        "aria-describedby": "rf-log-about",
        placeholder: "[2026-11-30 09:55:31 TP0] CustomAllreduce is disabled because …",
      });
      this.engine = make("select", {}, option("", "as the lines tell"), option("vllm", "vLLM"), option("sglang", "SGLang"));
      this.version = make("input", { type: "text", placeholder: "such as 0.17.0", autocomplete: "off" });
      this.after = make(
        "select",
        {},
        option("", "I do not know"),
        option("silent", "nothing new came"),
        option("ended", "the container ended"),
      );
      this.amount = make("input", { type: "number", min: "0", step: "1", inputmode: "numeric" });
      this.amountField = field("", this.amount);
      this.amountField.hidden = true;
      this.file = make("input", { type: "file", accept: ".log,.txt,text/*" });
      const clear = make("button", { type: "button", class: "md-button" }, "Clear");
      this.form = make(
        "form",
        { class: "rf-log" },
        make("label", { for: "rf-log-text", class: "rf-log-name" }, "The last lines of the log, of one rank or of all"),
        this.text,
        make(
          "p",
          { id: "rf-log-about", class: "rf-log-about" },
          "Nothing leaves this page. Several ranks: begin each line with the rank’s name and “ | ”, as docker compose does.",
        ),
        make(
          "div",
          { class: "rf-log-fields" },
          field("Engine", this.engine),
          field("Version", this.version),
          field("After the last line", this.after),
          this.amountField,
        ),
        make(
          "div",
          { class: "rf-log-buttons" },
          make("button", { type: "submit", class: "md-button md-button--primary" }, "Find the page"),
          make("label", { class: "md-button rf-log-file" }, "Open a file", this.file),
          clear,
        ),
      );
      this.status = make("p", { class: "rf-log-status", role: "status", "aria-live": "polite" });
      this.found = make("div", { class: "rf-log-found" });
      this.place.replaceChildren(this.form, this.status, this.found);
      this.form.addEventListener("submit", (event) => {
        event.preventDefault();
        this.look();
      });
      this.text.addEventListener("input", () => this.soon());
      this.text.addEventListener("paste", (event) => this.pasted(event));
      this.file.addEventListener("change", () => this.opened());
      for (const one of [this.engine, this.version, this.amount]) one.addEventListener("change", () => this.soon());
      this.after.addEventListener("change", () => this.told());
      clear.addEventListener("click", () => this.clear());
    }

    told() {
      const what = this.after.value;
      this.amountField.hidden = !what;
      this.amountField.firstChild.textContent = what === "ended" ? "with status" : "for … seconds";
      this.amount.placeholder = what === "ended" ? "not known" : "";
      this.amount.value = what === "silent" ? "300" : "";
      this.soon();
    }

    clear() {
      this.held = null;
      this.text.value = "";
      this.file.value = "";
      this.run += 1;
      this.say("");
      this.found.replaceChildren();
      this.text.focus();
    }

    /** Keep a text; of a large one only the end is put into the field, and all of it is read. */
    hold(text) {
      const whole = text.replace(/\r\n?/g, "\n");
      if (whole.length <= LARGE) {
        this.held = null;
        this.text.value = whole;
      } else {
        const shown = whole.slice(-LARGE).split("\n").slice(-SHOWN_LINES).join("\n");
        this.text.value = shown;
        this.held = { shown: this.text.value, whole };
      }
      this.look();
    }

    pasted(event) {
      const text = event.clipboardData ? event.clipboardData.getData("text/plain") : "";
      if (text.length <= LARGE) return;
      event.preventDefault();
      this.hold(text);
    }

    async opened() {
      const [file] = this.file.files;
      if (!file) return;
      // The end of a file of many megabytes is enough, and nobody waits for it.
      this.hold(await file.slice(Math.max(file.size - 30e6, 0)).text());
    }

    soon() {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.look(), 350);
    }

    say(text) {
      this.status.textContent = text;
    }

    paste() {
      const { held, text } = this;
      const { value } = this.amount;
      const told = (what, otherwise) =>
        this.after.value !== what ? null : value !== "" && Number.isFinite(Number(value)) ? Number(value) : otherwise;
      return {
        text: held && text.value === held.shown ? held.whole : text.value,
        engine: this.engine.value || null,
        version: this.version.value.trim(),
        silent: told("silent", null),
        ended: told("ended", ENDED_SOMEHOW),
      };
    }

    async signatures() {
      if (!this.data) {
        if (!this.source) throw new Error("the page has no link to them");
        const answer = await fetch(this.source.href, { credentials: "same-origin" });
        if (!answer.ok) throw new Error(`the site answers ${answer.status}`);
        this.data = shared.failures.compile(await answer.json());
      }
      return this.data;
    }

    async look() {
      clearTimeout(this.timer);
      this.run += 1;
      const mine = this.run;
      const paste = this.paste();
      if (!paste.text.trim()) {
        this.say("");
        this.found.replaceChildren();
        return;
      }
      this.form.setAttribute("aria-busy", "true");
      try {
        const data = await this.signatures();
        const seen = await inPieces(shared.failures.read(data, paste), () => mine === this.run);
        if (seen) this.show(data, seen, paste);
      } catch (error) {
        this.found.replaceChildren();
        this.say(`The signatures could not be read: ${error.message}. In a terminal: reaffirm diagnose LOG`);
      } finally {
        if (mine === this.run) this.form.removeAttribute("aria-busy");
      }
    }

    show(data, seen, paste) {
      const number = seen.fits.length + seen.later.length;
      const perhaps = [...seen.perhaps.fits, ...seen.perhaps.later];
      this.say(`${verdict(number, perhaps.length, data.pages.length)} (${howRead(seen, paste)}).`);
      const parts = [];
      for (const [a, b] of [...seen.contested, ...seen.perhaps.contested]) parts.push(this.rivals(a.page, b.page));
      const list = make("ol", { class: "rf-log-pages" });
      for (const one of seen.fits) list.append(this.result(one, "fits", "rf-log-fits"));
      for (const one of seen.later) list.append(this.result(one, "follows from another error as a rule", "rf-log-later"));
      for (const one of perhaps) list.append(this.result(one, "fits if nothing new came", "rf-log-perhaps"));
      if (list.children.length) parts.push(list);
      if (!number && !perhaps.length) parts.push(this.nothing(paste));
      this.found.replaceChildren(...parts);
    }

    link(page) {
      const href = this.links.get(page.id);
      return href ? make("a", { href }, page.title) : make("strong", {}, page.title);
    }

    rivals(a, b) {
      const check = a.check || b.check;
      return make(
        "p",
        { class: "rf-log-rivals" },
        make("strong", {}, "These lines cannot tell two pages apart: "),
        this.link(a),
        " and ",
        this.link(b),
        check ? `. Cheapest check: ${check}.` : ".",
      );
    }

    result(one, word, mark) {
      const { page } = one;
      const told = (name, text) => (text ? make("p", {}, make("strong", {}, `${name}: `), text) : null);
      return make(
        "li",
        { "data-rf-page": page.id, class: mark },
        make("h3", {}, this.link(page), " ", make("span", { class: `rf-badge ${mark}` }, word)),
        evidence(one),
        told("What to do", page.remedy),
        told("Often taken for", page.mistakenFor.join("; ")),
      );
    }

    nothing(paste) {
      const tips = ["Are these the lines of the other node as well? The first error of a launch is as a rule there."];
      if (!paste.engine) tips.push("Say which engine and which version it is.");
      tips.push("Keep the logs of all ranks before any container is removed.");
      tips.push("A page is one Markdown file: “Add a page”, below, tells how.");
      return make("ul", { class: "rf-log-nothing" }, ...tips.map((tip) => make("li", {}, tip)));
    }
  }

  function begin() {
    for (const place of document.querySelectorAll("[data-rf-log-box]")) {
      if (!place.dataset.rfReady) {
        place.dataset.rfReady = "true";
        place.rfBox = new Box(place);
      }
    }
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
  // Themes that change pages without loading them tell so.
  if (globalThis.document$ && globalThis.document$.subscribe) globalThis.document$.subscribe(begin);
})();
