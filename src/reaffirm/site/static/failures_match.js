/* Which failure pages fit a pasted log. The same as Python's diagnose/{paste,match,rank,stages}.py, step by step, with near.py,
   rank_marks.py and wrapped.py: tests hold the two against each other, so whatever changes there is changed here as well.
   Everything that takes long is a generator, so that a page can stay alive while a large log is read. */
((part) => {
  // Kept for the worker, which is made of the text of such parts.
  const shared = (globalThis.reaffirm = globalThis.reaffirm || {});
  (shared.parts = shared.parts || []).push(part);
  part();
})(() => {
  "use strict";
  const shared = (globalThis.reaffirm = globalThis.reaffirm || {});
  // What Python's str.strip() takes off, which is not what JavaScript's trim() does.
  const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
  const IS_SPACE = new RegExp(`[${SPACE}]`);
  const IS_TEXT = new RegExp(`[^${SPACE}]`);
  // Colours, titles of windows, whatever else is said to a terminal, and control characters alone.
  const CONTROL =
    /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[@-Z\\-_]|[\x00-\x08\x0b-\x1f\x7f]/g;
  const ANY_CONTROL = /[\x00-\x08\x0b-\x1f\x7f]/;
  const ENDED_SOMEHOW = -1; // a container that ended, nobody says with which status
  const SILENT_SOMEHOW = -1; // nothing new came, nobody says for how long
  const KILLED = [ENDED_SOMEHOW, 130, 137, 143]; // it may have been silent before
  const BATCH = 20000; // characters that are read between two chances for the page to do something else

  /** Return the data of assets/failures.json with its patterns compiled. */
  function compile(data) {
    const patterns = new Map();
    const pattern = (one) => {
      if (!patterns.has(one.text)) patterns.set(one.text, { ...one, regex: new RegExp(one.js, "u") });
      return patterns.get(one.text);
    };
    const lines = (found) =>
      found.map((one) => ({
        engine: one.engine,
        note: one.note,
        pattern: pattern(one.pattern),
        since: one.since ? shared.versions.parse(one.since) : null,
        until: one.until ? shared.versions.parse(one.until) : null,
      }));
    const stages = data.stages.map((stage) => ({ ...stage, lines: lines(stage.lines) }));
    const versions = lines(data.versions);
    const own = [...stages.flatMap((stage) => stage.lines), ...versions];
    const oneOf = (found) =>
      found.length ? new RegExp(found.map((one) => `(?:${one.pattern.js})`).join("|"), "u") : /(?!)/;
    return {
      ...data,
      stages,
      versions,
      noise: data.noise.map(pattern),
      secondary: data.secondary.map(pattern),
      // One search tells that a line is of no interest, as nearly all are.
      own: new Map(data.engines.map((engine) => [engine, own.filter((one) => one.engine === engine)])),
      told: new Map(data.engines.map((engine) => [engine, oneOf(own.filter((one) => one.engine === engine))])),
      staged: new Map(
        data.engines.map((engine) => [
          engine,
          oneOf(stages.flatMap((stage) => stage.lines).filter((one) => ["*", engine].includes(one.engine))),
        ]),
      ),
      pages: data.pages.map((page) => ({
        ...page,
        signatures: page.signatures.map((one) => ({
          ...one,
          all: one.all.map(pattern),
          any: one.any.map(pattern),
          none: one.none.map(pattern),
        })),
      })),
    };
  }

  function firstSigns(text, most) {
    if (text.length <= most) return text;
    let units = 0;
    let signs = 0;
    for (const sign of text.slice(0, 2 * most)) {
      if (signs === most) break;
      signs += 1;
      units += sign.length;
    }
    return text.slice(0, units);
  }

  /** Take signs off both ends, or off the end alone, in one pass: a pattern such as / +$/ begins anew at each of
      many spaces that stand in the midst, so the time would grow with their square. */
  function cut(text, isEdge, isEndAlone = false) {
    let from = 0;
    let to = text.length;
    while (!isEndAlone && from < to && isEdge(text[from])) from += 1;
    while (from < to && isEdge(text[to - 1])) to -= 1;
    return text.slice(from, to);
  }

  const strip = (text) => cut(text, (sign) => IS_SPACE.test(sign));
  const plain = (text) => (ANY_CONTROL.test(text) ? text.replace(CONTROL, "") : text);
  const searched = (text, limit) => firstSigns(plain(firstSigns(text, 2 * limit)), limit);

  function linesOf(text) {
    const lines = cut(text.replace(/\r\n?/g, "\n"), (sign) => sign === "\n");
    return lines ? lines.split("\n") : [];
  }

  /** Lines by the name before “ | ”; null unless each line has one. */
  function named(lines) {
    const ranks = new Map();
    for (const line of lines) {
      const at = line.indexOf(" | ");
      const name = cut(at < 0 ? "" : line.slice(0, at), (sign) => sign === " ");
      if (at < 0 || !name || name.includes(" ")) {
        if (/^ *$/.test(line)) continue;
        return null;
      }
      if (!ranks.has(name)) ranks.set(name, []);
      ranks.get(name).push(line.slice(at + 3));
    }
    return ranks.size ? ranks : null;
  }

  /** Tell, line by line, when so much was read that the page may do something else. */
  function pace() {
    let signs = 0;
    return (line) => {
      signs = signs > BATCH ? 0 : signs + line.length + 20;
      return signs > BATCH;
    };
  }

  /** The logs of the ranks, and the lines of which nothing tells whose they are, or null. */
  function* logsOf(lines, limit, tell) {
    const due = pace();
    function* cutAll(said) {
      const out = [];
      for (const line of said) {
        tell();
        out.push(searched(line, limit));
        if (due(out[out.length - 1])) yield;
      }
      return out;
    }
    const log = (node, said, numbers = null) => {
      return { node, lines: said, numbers, whole: said.join("\n"), hits: new Map(), ended: null, shared: null };
    };
    const ranks = named(lines);
    if (ranks) {
      const logs = [];
      for (const [node, said] of ranks) logs.push(log(node, yield* cutAll(said)));
      return { logs, shared: null };
    }
    const cutLines = yield* cutAll(lines);
    const places = new Map();
    for (const [place, name] of (yield* shared.ranks.whose(cutLines, due)).entries()) {
      if (!places.has(name)) places.set(name, []);
      places.get(name).push(place);
    }
    const some = (name, at) => log(name, at.map((place) => cutLines[place]), at.map((place) => place + 1));
    const anybody = places.get("");
    places.delete("");
    if (!places.size) return { logs: [log("a rank", cutLines)], shared: null };
    const common = anybody ? some("a rank", anybody) : null;
    const logs = [...places].map(([name, at]) => ({ ...some(name, at), shared: common }));
    return { logs, shared: common };
  }

  const find = (pattern, line) => line.includes(pattern.literal) && pattern.regex.test(line);

  function* enginesOf(data, logs) {
    const told = [];
    const due = pace();
    for (const engine of data.engines) {
      const regex = data.told.get(engine);
      let found = false;
      for (const log of logs) {
        for (let at = 0; at < log.lines.length && !found; at += 1) {
          found = regex.test(log.lines[at]);
          if (due(log.lines[at])) yield;
        }
      }
      if (found) told.push(engine);
    }
    return told.length === 1 ? told : data.engines;
  }

  function isThisLine(one, engine, version, text) {
    if (!["*", engine].includes(one.engine) || !find(one.pattern, text)) return false;
    if (!version || version.isPre) return true;
    const { compare } = shared.versions;
    return !(one.since && compare(version, one.since) < 0) && !(one.until && compare(version, one.until) >= 0);
  }

  /** The stage that a rank has reached, and the version that it tells. */
  function* track(data, lines, engine, given) {
    const state = { position: 0, told: given, version: given ? shared.versions.parse(given) : null };
    const staged = data.staged.get(engine);
    const tellers = data.versions.filter((one) => one.engine === engine);
    const due = pace();
    for (const line of lines) {
      if (due(line)) yield;
      if (!IS_TEXT.test(line) || data.noise.some((one) => find(one, line))) continue;
      if (!state.version) learn(state, tellers, line);
      if (!staged.test(line)) continue;
      const stage = data.stages.findIndex((one) =>
        one.lines.some((known) => isThisLine(known, engine, state.version, line)),
      );
      state.position = Math.max(state.position, stage);
    }
    return state;
  }

  function learn(state, tellers, line) {
    for (const one of tellers) {
      const found = one.pattern.regex.exec(line);
      if (!found) continue;
      const word = cut(found.slice(1).find(Boolean), (sign) => ",.".includes(sign), true);
      const version = shared.versions.parse(word);
      if (version) Object.assign(state, { told: word, version });
      return;
    }
  }

  function* symptomsOf(data, { logs, shared: common }, engine, paste) {
    const anybody = yield* track(data, common ? common.lines : [], engine, paste.version || "");
    let position = Infinity;
    let furthest = 0;
    let version = anybody.told;
    for (const log of logs) {
      const state = yield* track(data, log.lines, engine, anybody.told);
      const reached = Math.max(state.position, anybody.position);
      position = Math.min(position, reached);
      furthest = Math.max(furthest, reached);
      version = version || state.told;
    }
    return {
      engine,
      version,
      stage: data.stages[position].id,
      furthest: data.stages[furthest].id,
      silent: paste.silent === SILENT_SOMEHOW ? 0 : paste.silent || 0,
      told: paste.silent === SILENT_SOMEHOW,
      logs,
      shared: common,
      isAlone: logs.length === 1,
    };
  }

  const inRange = (entry, engine, version) =>
    entry.engine === engine &&
    (!version || version.isPre || entry.versions.every(([sign, text]) => shared.versions.holds(version, sign, text)));

  /** Return the place of the first line that a pattern is found in, from 1; 0: in none. */
  function* placeIn(log, pattern) {
    if (!log.hits.has(pattern.text)) {
      let number = 0;
      const due = pace();
      if (log.whole.includes(pattern.literal)) {
        for (let at = 0; at < log.lines.length && !number; at += 1) {
          if (find(pattern, log.lines[at])) number = at + 1;
          if (due(log.lines[at])) yield;
        }
      }
      log.hits.set(pattern.text, number);
    }
    return log.hits.get(pattern.text);
  }

  /** Return the first line of a rank, else one that may be anybody's, in which a pattern is found; null: in none. */
  function* first(log, pattern) {
    const place = yield* placeIn(log, pattern);
    if (!place) return log.shared ? yield* first(log.shared, pattern) : null;
    const number = log.numbers ? log.numbers[place - 1] : place;
    return { node: log.node, number, text: strip(log.lines[place - 1]), pattern };
  }

  /** Return what shows that a signature fits; null where it does not. */
  function* evidenceOf(data, one, seen, version) {
    if (one.engines.length && !one.engines.some((entry) => inRange(entry, seen.engine, version))) return null;
    const shown = [];
    if (one.all.length) {
      const before = shown.length;
      for (const log of seen.logs) {
        const hits = [];
        for (const pattern of one.all) hits.push(yield* first(log, pattern));
        if (hits.every(Boolean)) shown.push(...hits);
      }
      if (shown.length === before) return null;
    }
    if (one.any.length) {
      const before = shown.length;
      for (const log of seen.logs) {
        for (const pattern of one.any) {
          const line = yield* first(log, pattern);
          if (line) shown.push(line);
        }
      }
      if (shown.length === before) return null;
    }
    if (one.ended.length) {
      const ends = seen.logs.filter((log) => log.ended !== null && one.ended.includes(log.ended));
      if (!ends.length) return null;
      for (const log of ends) {
        shown.push({ node: log.node, number: 0, text: `the container ended with status ${log.ended}` });
      }
    }
    if (one.silence) {
      const { stage, seconds } = one.silence;
      if (seen.logs.some((log) => log.ended !== null)) return null;
      if (seen.stage !== stage || seen.silent < seconds) return null;
      const { title } = data.stages.find((known) => known.id === stage) || { title: stage };
      const said = seen.told ? "you said that nothing new came, not for how long" : "assumed, nobody said so";
      const told =
        seen.silent === Infinity
          ? `if nothing new came for ${seconds} s (${said})`
          : `nothing new for ${seen.silent.toFixed(0)} s`;
      const alone = seen.isAlone ? "; whether the other rank says the same is not known" : "";
      const text = `${told} after the stage “${title}”, and no end${alone}`;
      shown.push({ node: seen.isAlone ? "one rank" : "all ranks", number: 0, text });
    }
    for (const log of seen.logs) {
      for (const pattern of one.none) if (yield* first(log, pattern)) return null;
    }
    return merged(shown);
  }

  /** Each line once, with all the patterns that were found in it. */
  function merged(shown) {
    const known = new Map();
    for (const line of shown) {
      const key = JSON.stringify([line.node, line.number, line.text]);
      if (!known.has(key)) known.set(key, { ...line, patterns: [] });
      if (line.pattern) known.get(key).patterns.push(line.pattern);
    }
    return [...known.values()];
  }

  const parts = (one) => one.all.length + (one.any.length > 0) + Boolean(one.silence) + (one.ended.length > 0);

  /** Return each page that fits one of the readings, with the signature of which most holds. */
  function* best(data, pages, readings, far) {
    const found = new Map();
    const steps = readings.length * pages.length;
    for (const seen of readings) {
      const version = seen.version ? shared.versions.parse(seen.version) : null;
      for (const page of pages) {
        far.done += (1 - far.done) / (steps + 1);
        if (!page.engines.some((entry) => inRange(entry, seen.engine, version))) continue;
        let top = null;
        for (const one of page.signatures) {
          const evidence = yield* evidenceOf(data, one, seen, version);
          if (evidence && (!top || parts(one) > top.parts)) {
            top = { page, signature: one, evidence, parts: parts(one), engine: seen.engine };
          }
        }
        if (top && (!found.has(page.id) || top.parts > found.get(page.id).parts)) found.set(page.id, top);
      }
    }
    return pages.filter((page) => found.has(page.id)).map((page) => found.get(page.id));
  }

  /** Order the pages that fit: what is no mere consequence first, then by how much fits. */
  function rank(data, matches) {
    const follows = (one) =>
      one.evidence.every((line) => line.number && data.secondary.some((known) => find(known, line.text)));
    const place = (one) => [Number(follows(one)), -one.parts, Number(one.page.status !== "proven"), -one.page.seen];
    const ordered = [...matches].sort((a, b) => {
      const [left, right] = [place(a), place(b)];
      const at = left.findIndex((value, index) => value !== right[index]);
      return at < 0 ? (a.page.id < b.page.id ? -1 : 1) : left[at] - right[at];
    });
    const fits = ordered.filter((one) => !follows(one));
    const contested = fits.flatMap((a, at) =>
      fits
        .slice(at + 1)
        .filter((b) => a.page.rivals.includes(b.page.id) || b.page.rivals.includes(a.page.id))
        .map((b) => [a, b]),
    );
    return { fits, later: ordered.filter(follows), contested };
  }

  /** Read a paste: {text, engine, version, silent, ended}; what nobody tells is null. Where no page fits, lines that
      were broken are read as one. Yields now and then, with `far.done` telling how far it is, about, from 0 to 1. */
  function* read(data, paste, far = { done: 0 }) {
    const all = linesOf(paste.text);
    const leftOut = Math.max(all.length - data.lines, 0);
    const last = leftOut ? all.slice(leftOut) : all;
    let seen = yield* readLines(data, last, paste, far);
    if (seen.isNothing) {
      const names = named(last) ? last.map((line) => line.split(" | ", 1)[0] + " | ") : null;
      const { lines, joined } = yield* shared.wrapped.unwrapped(data, last, names);
      if (joined.length) seen = { ...(yield* readLines(data, lines, paste, far)), joined };
    }
    return { ...seen, leftOut, lines: all.length };
  }

  /** The lines of a container that was killed, as they were seen before that, if nothing new came. */
  function asIfSilent(one) {
    const logs = one.logs.map((log) => ({ ...log, ended: null }));
    return { ...one, logs, silent: Infinity, told: false };
  }

  function* readLines(data, last, paste, far) {
    const found = yield* logsOf(last, data.lineLimit, () => (far.done += (0.3 * (1 - far.done)) / last.length));
    found.logs[found.logs.length - 1].ended = paste.ended;
    const said = found.shared ? [...found.logs, found.shared] : found.logs;
    const engines = paste.engine ? [paste.engine] : yield* enginesOf(data, said);
    const readings = [];
    for (const engine of engines) {
      far.done += (0.2 * (1 - far.done)) / engines.length;
      readings.push(yield* symptomsOf(data, found, engine, paste));
    }
    const { fits, later, contested } = rank(data, yield* best(data, data.pages, readings, far));
    const known = new Set([...fits, ...later].map((one) => one.page.id));
    const others = data.pages.filter((page) => !known.has(page.id));
    const none = { fits: [], later: [], contested: [] };
    let [perhaps, before] = [none, none];
    if (paste.ended === null && (paste.silent === null || paste.silent === SILENT_SOMEHOW)) {
      const silent = readings.map((one) => ({ ...one, silent: Infinity }));
      perhaps = rank(data, yield* best(data, others, silent, far));
    } else if (KILLED.includes(paste.ended)) {
      before = rank(data, yield* best(data, others, readings.map(asIfSilent), far));
    }
    const isEmpty = (one) => !one.fits.length && !one.later.length;
    const isUnfit = isEmpty({ fits, later }) && isEmpty(perhaps);
    const isNothing = isUnfit && isEmpty(before);
    const early = new Set([...before.fits, ...before.later].map((one) => one.page.id));
    const rest = others.filter((page) => !early.has(page.id));
    const near = isUnfit ? yield* shared.near.nearly(data, rest, readings) : [];
    const stop = isUnfit ? yield* shared.near.whereTheyStop(data, readings) : null;
    const unknown = shared.near.lastUnknown(data, readings[0]);
    const foreign = isUnfit && paste.engine ? yield* shared.near.foreign(data, readings[0]) : [];
    return { readings, fits, later, contested, perhaps, before, near, stop, unknown, foreign, joined: [], isNothing };
  }

  /** Where the patterns of a line are found in it, from left to right, none inside of another. */
  function marksOf(line) {
    const spans = line.patterns
      .map((pattern) => pattern.regex.exec(line.text))
      .filter((found) => found && found[0])
      .map((found) => [found.index, found.index + found[0].length])
      .sort((a, b) => a[0] - b[0]);
    const marks = [];
    for (const span of spans) if (!marks.length || span[0] >= marks[marks.length - 1][1]) marks.push(span);
    return marks;
  }

  /** What is shown of a reading, without the logs: pages by their ids, lines with what is to be marked in them. */
  function brief(seen) {
    const lineOf = (line) => ({ node: line.node, number: line.number, text: line.text, marks: marksOf(line) });
    const one = (found) => ({ page: found.page.id, evidence: found.evidence.map(lineOf) });
    const pair = ([a, b]) => [a.page.id, b.page.id];
    const { fits, later, contested, perhaps, before, near, stop, unknown, leftOut, lines } = seen;
    const numbered = (found) => ({ ...found, evidence: found.evidence.filter((line) => line.number) });
    const wanted = ({ words, patterns, alike }) => ({ words, lines: patterns.map((pattern) => pattern.line), alike });
    return {
      readings: seen.readings.map(({ engine, version, isAlone }) => ({ engine, version, isAlone })),
      foreign: seen.foreign.map((found) => ({ engine: found.engine, lines: found.lines.map(lineOf) })),
      joined: seen.joined,
      fits: fits.map(one),
      later: later.map(one),
      perhaps: [...perhaps.fits, ...perhaps.later].map(one),
      before: before.fits.map(numbered).map(one),
      contested: [...contested, ...perhaps.contested, ...before.contested].map(pair),
      near: near.map((found) => ({ ...one(found), wants: found.wants.map(wanted), isClose: found.close })),
      stop: stop && { ...stop, lines: stop.lines.map(lineOf) },
      unknown: unknown.map(lineOf),
      leftOut,
      lines,
    };
  }

  /** Run a reading to its end at once. */
  function atOnce(reading) {
    let step = reading.next();
    while (!step.done) step = reading.next();
    return step.value;
  }

  const isText = (line) => IS_TEXT.test(line);
  shared.lines = { find, first, inRange, isText, isThisLine, merged, pace, searched, strip };
  shared.failures = { compile, read, brief, atOnce, searched, ENDED_SOMEHOW, SILENT_SOMEHOW };
});
