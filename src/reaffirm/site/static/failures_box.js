/* The box that a log is pasted into, on the index of failure modes. Nothing leaves the page: the signatures
   are fetched from the same site, the lines are read here. Text is only ever set as text. */
(() => {
  "use strict";
  const shared = (globalThis.reaffirm = globalThis.reaffirm || {});
  const LARGE = 200000; // characters; a text field with more of them makes a browser slow
  const SHOWN_LINES = 500;
  const LONG = 10000; // characters of one line; a browser lays out a line in the square of its length
  const SHOWN_SIGNS = 2000; // of such a line, as many as are searched
  const EVIDENCE = 6;
  const WANTED = 3; // lines of which one would do
  const MANY_AFTER = 200; // as in failures_near.js
  const PATIENCE = 400; // milliseconds until a reading is seen to go on
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
  const isLarge = (text) => text.length > LARGE || text.split(/[\r\n]/).some((line) => line.length > LONG);
  const several = (number, one, more = `${one}s`) => `${number} ${number === 1 ? one : more}`;
  function option(value, text) {
    return make("option", { value }, text);
  }

  function field(label, control, hint = "") {
    const name = make("span", { class: "rf-log-name" }, label);
    return make("label", { class: "rf-log-field" }, name, control, hint ? make("small", {}, hint) : null);
  }

  /** The text of a line, with what the patterns found in it marked. */
  function marked({ text, marks }) {
    const out = [];
    let at = 0;
    for (const [begin, end] of marks) {
      out.push(text.slice(at, begin), make("mark", {}, text.slice(begin, end)));
      at = end;
    }
    out.push(text.slice(at));
    return out;
  }

  function evidence(found, leftOut) {
    const list = make("ul", { class: "rf-log-lines" });
    for (const line of found.slice(0, EVIDENCE)) {
      const counted = `line ${line.number}${leftOut ? " of those read" : ""}`;
      const where = line.number ? `${line.node}, ${counted}` : line.node;
      const at = make("span", { class: "rf-log-at" }, where);
      const text = line.number ? make("code", {}, ...marked(line)) : make("em", {}, line.text);
      list.append(make("li", {}, at, " ", text));
    }
    if (found.length > EVIDENCE) list.append(make("li", {}, `and ${found.length - EVIDENCE} more`));
    return list;
  }

  /** What a page that does not fit still wants. */
  function wanted({ words, lines, alike }) {
    const shown = lines.slice(0, WANTED).flatMap((line, at) => [at ? " or " : " ", make("code", {}, line)]);
    const more = lines.length > WANTED ? ` or ${lines.length - WANTED} more` : "";
    const other = alike ? ["; yours begins ", make("code", {}, alike), " and goes on otherwise"] : [];
    return make("li", {}, words, ...shown, more, ...other);
  }

  /** What the recogniser of a page was tested on; a draft stands out. */
  function tested(page) {
    return make("span", { class: `rf-badge rf-wrap rf-page-${page.status}` }, page.tested);
  }

  /** What was found, in one sentence without its end. */
  function verdict(fits, perhaps, before, near, all) {
    const ifSilent = "if nothing new came after the last line";
    if (!fits && !perhaps) {
      if (before) return `None of the ${all} pages fits; ${before} would if it was silent before it was killed`;
      const close = near.filter((one) => one.isClose).length;
      const told = close ? several(close, "is near", "are near") : several(near.length, "is about this stage", "are about this stage");
      return `None of the ${all} pages fits${near.length ? `; ${told}` : ""}`;
    }
    if (!fits) return `${several(perhaps, "page fits", "pages fit")} ${ifSilent}`;
    const found = several(fits, "page fits", "pages fit");
    return perhaps ? `${found}, and ${perhaps} more ${ifSilent}` : found;
  }

  /** Which lines were read, and as what. */
  function howRead(seen, paste) {
    const engines = seen.readings.map((one) => [named(one.engine), one.version].filter(Boolean).join(" "));
    const read = [`${several(seen.lines - seen.leftOut, "line")}, read as of ${engines.join(" or ")}`];
    if (seen.leftOut) read.push(`left out before them: ${several(seen.leftOut, "line")}`);
    if (paste.ended === shared.failures.ENDED_SOMEHOW) read.push("the container ended, status not known");
    return read.join("; ");
  }

  class Box {
    constructor(place) {
      this.place = place;
      this.run = 0;
      this.held = null;
      this.pages = null;
      this.reader = null;
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
      this.amountHint = make("small");
      this.amountField = field("", this.amount);
      this.amountField.append(this.amountHint);
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
          "Nothing leaves this page. Several ranks are told apart by “[… TP0]”, “TP0:”, “(Worker_TP1 …)”, “[rank1]” or a worker of Ray " +
            "before a line; else begin each line with the rank’s name and “ | ”, as docker compose does.",
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
      const stop = make("button", { type: "button", class: "md-button" }, "Cancel");
      this.far = make("progress", { max: "1", "aria-label": "How much is read" });
      this.work = make("div", { class: "rf-log-work", hidden: true }, this.far, stop);
      this.status = make("p", { class: "rf-log-status", role: "status", "aria-live": "polite" });
      this.found = make("div", { class: "rf-log-found" });
      this.place.replaceChildren(this.form, this.work, this.status, this.found);
      this.form.addEventListener("submit", (event) => {
        event.preventDefault();
        if (this.paste().text.trim()) this.lookAndShow();
        else this.nothingPasted();
      });
      this.text.addEventListener("input", (event) => {
        if (event.inputType === "insertFromPaste" || event.inputType === "insertFromDrop") this.begins();
        this.soon();
      });
      this.text.addEventListener("paste", (event) => this.pasted(event));
      this.file.addEventListener("change", () => this.opened());
      for (const one of [this.engine, this.version, this.amount]) one.addEventListener("change", () => this.soon());
      this.after.addEventListener("change", () => this.told());
      clear.addEventListener("click", () => this.clear());
      stop.addEventListener("click", () => this.stop("Reading was stopped. “Find the page” begins anew."));
    }

    told() {
      const what = this.after.value;
      this.amountField.hidden = !what;
      this.amountField.firstChild.textContent = what === "ended" ? "with status" : "for … seconds";
      this.amount.placeholder = "not known";
      this.amount.value = "";
      this.amountHint.textContent =
        what === "silent"
          ? "Only what somebody watched. Left empty, each page says from how many seconds on it would fit: an assumption, not your figure."
          : "";
      this.soon();
    }

    clear() {
      this.stop("");
      this.held = null;
      this.form.reset();
      this.amountField.hidden = true;
      this.found.replaceChildren();
      this.text.focus();
    }

    nothingPasted() {
      this.stop("Paste some lines first.");
      this.found.replaceChildren();
      this.text.focus();
    }

    /** End what is being read, if anything is. */
    stop(words) {
      clearTimeout(this.timer);
      this.run += 1;
      if (this.reader) this.reader.cancel();
      this.done();
      this.say(words);
    }

    done() {
      if (this.work.contains(document.activeElement)) this.text.focus();
      this.work.hidden = true;
      this.form.removeAttribute("aria-busy");
    }

    /** Keep a text; of a large one only the end is put into the field, of long lines what is searched, without
        colours, and all of it is read. */
    hold(text) {
      const whole = text.replace(/\r\n?/g, "\n");
      if (!isLarge(whole)) {
        this.held = null;
        this.text.value = whole;
      } else {
        const { searched } = shared.failures;
        const last = whole.split("\n").slice(-SHOWN_LINES).map((line) => searched(line, SHOWN_SIGNS));
        this.text.value = last.join("\n").slice(-LARGE);
        this.held = { shown: this.text.value, whole };
      }
      this.begins();
      this.lookAndShow();
    }

    /** Show the beginnings of the lines: after a paste a field stands where its last line ends. */
    begins() {
      this.isAwaited = true;
      requestAnimationFrame(() => (this.text.scrollLeft = 0));
    }

    /** Somebody waits for what comes: it is brought into sight. */
    lookAndShow() {
      this.isAwaited = true;
      this.look();
    }

    /** Bring what was found into sight, where it is not. The focus stays: the status says itself to who listens. */
    intoSight() {
      if (!this.isAwaited) return;
      this.isAwaited = false;
      const { top } = this.status.getBoundingClientRect();
      const { bottom } = this.found.getBoundingClientRect();
      const { innerHeight } = globalThis;
      if (top >= 0 && (top < innerHeight / 2 || bottom < innerHeight)) return;
      const isCalm = globalThis.matchMedia("(prefers-reduced-motion: reduce)").matches;
      this.status.scrollIntoView({ block: "start", behavior: isCalm ? "auto" : "smooth" });
    }

    pasted(event) {
      const text = event.clipboardData ? event.clipboardData.getData("text/plain") : "";
      if (!isLarge(text)) return;
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
        silent: told("silent", shared.failures.SILENT_SOMEHOW),
        ended: told("ended", shared.failures.ENDED_SOMEHOW),
      };
    }

    /** Of a large paste: what of it the field shows, and what became of the rest. */
    shown() {
      if (!this.held) return "";
      return this.text.value === this.held.shown
        ? " The field shows their end, all of them were read."
        : " What the field did not show is left out since it was edited: paste it again.";
    }

    async signatures() {
      if (this.reader) return;
      if (!this.source) throw new Error("the page has no link to them");
      const answer = await fetch(this.source.href, { credentials: "same-origin" });
      if (!answer.ok) throw new Error(`the site answers ${answer.status}`);
      const data = await answer.json();
      this.pages = this.pages || new Map(data.pages.map((page) => [page.id, page]));
      this.stages = this.stages || new Map(data.stages.map((stage) => [stage.id, stage.title]));
      this.reader = this.reader || new shared.Reader(data);
    }

    async look() {
      const paste = this.paste();
      this.stop("");
      const mine = this.run;
      const isCurrent = () => mine === this.run;
      if (!paste.text.trim()) {
        this.found.replaceChildren();
        return;
      }
      this.form.setAttribute("aria-busy", "true");
      this.far.removeAttribute("value");
      // What is read at once needs no sign of it.
      const late = setTimeout(() => {
        if (!isCurrent()) return;
        this.work.hidden = false;
        this.say("Reading …");
      }, PATIENCE);
      try {
        await this.signatures();
        const seen = isCurrent() && (await this.reader.read(paste, (done) => (this.far.value = done)));
        if (seen && isCurrent()) this.show(seen, paste);
      } catch (error) {
        if (!isCurrent()) return;
        this.found.replaceChildren();
        this.say(`The signatures could not be read: ${error.message}. In a terminal: reaffirm diagnose LOG`);
      } finally {
        clearTimeout(late);
        if (isCurrent()) this.done();
      }
    }

    show(seen, paste) {
      const { fits, later, perhaps, before, contested, near, leftOut } = seen;
      const number = fits.length + later.length;
      const told = verdict(number, perhaps.length, before.length, near, this.pages.size);
      this.say(`${told} (${howRead(seen, paste)}).${this.shown()}`);
      const parts = [...this.caveats(seen, paste, number + perhaps.length > 0)];
      const rivals = contested.map(([a, b]) => this.rivals(this.pages.get(a), this.pages.get(b)));
      parts.push(...rivals);
      const list = make("ol", { class: "rf-log-pages" });
      const shown = new Set([...fits, ...later, ...perhaps, ...before].map((one) => one.page));
      const either = new Set(contested.flat());
      const put = (found, word, mark) => {
        for (const one of found) list.append(this.result(one, leftOut, word, mark, either.has(one.page), shown));
      };
      put(fits, "fits", "rf-log-fits");
      put(later, "follows from another error as a rule", "rf-log-later");
      put(perhaps, "fits if nothing new came", "rf-log-perhaps");
      put(before, "it may have been silent before it was killed", "rf-log-perhaps");
      if (list.children.length) parts.push(list);
      if (number + perhaps.length === 0) parts.push(...this.stops(seen), this.nothing(paste));
      this.found.replaceChildren(...parts);
      this.intoSight();
    }

    /** What must be known of all that is shown below it. */
    caveats({ readings, unknown, leftOut, perhaps, before, near, foreign, joined }, paste, isFit) {
      const parts = [];
      const one = readings.every((reading) => reading.isAlone);
      if (one && (isFit || before.length || near.length)) {
        parts.push("One rank’s lines only, as far as they tell: whether the other says the same is not known.");
      }
      const somehow = paste.silent === shared.failures.SILENT_SOMEHOW;
      if ((perhaps.length && paste.silent !== null) || (near.length && somehow)) {
        parts.push("You said that nothing new came, not for how long: each page says from how many seconds on it would fit.");
      } else if (perhaps.length) {
        parts.push("The seconds of silence are an assumption, for the question what would fit if it is silent: nobody gave them.");
      }
      const told = parts.map((text) => make("p", { class: "rf-log-caveat" }, text));
      if (before.length) {
        const text = "If the container was killed: look at what is said below of silence, too. Was anything new said shortly before?";
        told.push(make("p", { class: "rf-log-caveat" }, text));
      }
      for (const { engine, lines } of foreign) {
        const [is, chosen] = [lines.length > 1 ? "These lines are" : "This line is", named(readings[0].engine)];
        const text = `${is} written so by ${named(engine)}, and you chose ${chosen}. Choose ${named(engine)}, or “as the lines tell”:`;
        told.push(make("div", { class: "rf-log-caveat" }, text, evidence(lines, leftOut)));
      }
      if (joined.length) {
        const lines = joined.map((text) => ({ node: "read as one line:", number: 0, text }));
        told.push(make("div", { class: "rf-log-caveat" }, "Some lines look broken by a narrow window:", evidence(lines, leftOut)));
      }
      if (unknown.length) {
        const which = unknown.length > 1 ? "Last lines of ranks that are" : "The last line is";
        const rest = isFit ? "; nothing below rests on it" : "";
        const text = `${which} not known to any page or stage${rest}, and it may be what matters:`;
        told.push(make("div", { class: "rf-log-caveat" }, text, evidence(unknown, leftOut)));
      }
      return told;
    }

    /** Where no page fits: where the lines stop, and which pages are near, none of them as one that fits. */
    stops({ stop, near, leftOut }) {
      if (!stop && !near.length) return [];
      const parts = [];
      if (stop) {
        const who = stop.allRanks ? "These lines stop at the stage " : "One rank’s lines stop at the stage ";
        const said = [...stop.notes];
        if (!stop.allRanks) said.unshift("Another rank’s lines show no stage at all.");
        if (stop.wentOn) said.push(`More than ${MANY_AFTER} lines follow, so it was not silent after that.`);
        const notes = said.map((note) => make("p", {}, note));
        const title = make("strong", {}, `“${this.stages.get(stop.stage)}”`);
        const where = make("p", {}, who, title, stop.lines.length ? ", by" : ".");
        parts.push(make("div", { class: "rf-log-stop" }, where, evidence(stop.lines, leftOut), ...notes));
      }
      if (near.length) {
        const list = make("ol", { class: "rf-log-nears" });
        for (const one of near) list.append(this.near(one, leftOut));
        parts.push(make("p", { class: "rf-log-name" }, "None of these fits. What each still wants:"), list);
      }
      return parts;
    }

    near(one, leftOut) {
      const page = this.pages.get(one.page);
      const word = one.isClose ? "near, does not fit" : "about this stage, does not fit";
      const title = make("h3", {}, this.link(page), " ", make("span", { class: "rf-badge rf-log-near" }, word));
      const wants = make("ul", { class: "rf-log-wants" }, ...one.wants.map(wanted));
      const has = one.evidence.length ? [evidence(one.evidence, leftOut)] : [];
      return make("li", { "data-rf-near": page.id, class: "rf-log-near" }, title, ...has, wants);
    }

    link(page) {
      const href = this.links.get(page.id);
      return href ? make("a", { href }, page.title) : make("strong", {}, page.title);
    }

    rivals(a, b) {
      const check = a.check || b.check;
      const told = a.toldApart || b.toldApart;
      return make(
        "p",
        { class: "rf-log-rivals" },
        make("strong", {}, "These lines cannot tell two pages apart: "),
        this.link(a),
        " and ",
        this.link(b),
        told ? `. ${told}.` : check ? `. Cheapest check: ${check}.` : ".",
      );
    }

    /** The rivals of a page that do not fit these lines: they can look the same all the same. */
    silentRivals(page, shown, isTold) {
      const others = page.rivals.filter((rival) => !shown.has(rival));
      if (!others.length) return null;
      const links = others.flatMap((rival, at) => {
        const known = this.pages.get(rival);
        return [at ? " and " : "", known ? this.link(known) : make("strong", {}, rival)];
      });
      const told = isTold ? "" : page.toldApart || page.check;
      const rest = told ? [". ", make("span", {}, `What tells them apart: ${told}.`)] : ["."];
      return make("p", {}, make("strong", {}, "Can look the same, and does not fit these lines: "), ...links, ...rest);
    }

    /** One page that fits; where a rival of it fits as well, its remedy waits for the check. */
    result(one, leftOut, word, mark, contested, shown) {
      const page = this.pages.get(one.page);
      const told = (name, pieces) =>
        pieces.length
          ? make(
              "p",
              {},
              make("strong", {}, `${name}: `),
              ...pieces.map(([text, isCode]) => (isCode ? make("code", {}, text) : text)),
            )
          : null;
      return make(
        "li",
        { "data-rf-page": page.id, class: mark },
        make("h3", {}, this.link(page), " ", make("span", { class: `rf-badge ${mark}` }, word), " ", tested(page)),
        evidence(one.evidence, leftOut),
        this.silentRivals(page, shown, contested),
        told(contested ? "What to do, once the check points here" : "What to do", page.remedy),
        told("Often taken for", page.mistakenFor.length ? [[page.mistakenFor.join("; "), false]] : []),
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
