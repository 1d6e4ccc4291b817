/* Where no page fits a pasted log: which pages are near, and what each still wants. The same as Python's
   diagnose/near.py, step by step: tests hold the two against each other. */
((part) => {
  // Kept for the worker, which is made of the text of such parts.
  const shared = (globalThis.reaffirm = globalThis.reaffirm || {});
  (shared.parts = shared.parts || []).push(part);
  part();
})(() => {
  "use strict";
  const shared = (globalThis.reaffirm = globalThis.reaffirm || {});
  const MOST_NEAR = 6; // pages that are shown
  const LEAST_ALIKE = 12; // signs of a line that begins like a wanted one
  const MANY_AFTER = 200; // after a line that more than these follow nobody is silent
  const versionOf = (seen) => (seen.version ? shared.versions.parse(seen.version) : null);
  const placeOf = (data, stage) => data.stages.findIndex((one) => one.id === stage);

  /** The stage that all ranks have reached; where one shows none, that of the rank which got furthest. */
  const stageOf = (data, seen) => (seen.stage === data.stages[0].id ? seen.furthest : seen.stage);

  /** A line of a rank at a place, from 0. */
  function lineOf(log, place) {
    const number = log.numbers ? log.numbers[place] : place + 1;
    return { node: log.node, number, text: shared.lines.strip(log.lines[place]), patterns: [] };
  }

  const allLogs = (seen) => (seen.shared ? [...seen.logs, seen.shared] : seen.logs);

  /** Whether many lines follow that of a rank: its own, and those of all where one log holds all in order. */
  function* goesOn(data, seen, log, place) {
    const { find, isText, pace } = shared.lines;
    const number = log.numbers ? log.numbers[place] : 0;
    const due = pace();
    let after = 0;
    for (const other of number ? allLogs(seen) : [log]) {
      for (let at = other.lines.length - 1; at >= 0; at -= 1) {
        if (after > MANY_AFTER || (number ? other.numbers[at] <= number : at <= place)) break;
        const text = other.lines[at];
        if (due(text)) yield;
        if (isText(text) && !data.noise.some((one) => find(one, text))) after += 1;
      }
    }
    return after > MANY_AFTER;
  }

  function* stopOf(data, seen) {
    const { isThisLine, pace } = shared.lines;
    const version = versionOf(seen);
    const { id, lines: known } = data.stages[placeOf(data, stageOf(data, seen))];
    const lines = [];
    const notes = new Set();
    const after = [];
    const due = pace();
    for (const log of known.length ? allLogs(seen) : []) {
      for (let place = log.lines.length - 1; place >= 0; place -= 1) {
        const text = log.lines[place];
        if (due(text)) yield;
        const shown = known.find((line) => isThisLine(line, seen.engine, version, text));
        if (!shown) continue;
        lines.push({ ...lineOf(log, place), patterns: [shown.pattern] });
        if (shown.note) notes.add(shown.note);
        after.push(yield* goesOn(data, seen, log, place));
        break;
      }
    }
    // Of one log with the lines of all ranks in order, what follows the last of these lines counts.
    const wentOn = seen.logs[0].numbers ? after.length > 0 && after.every(Boolean) : after.some(Boolean);
    return { stage: id, allRanks: id === seen.stage, lines, notes: [...notes], wentOn };
  }

  /** Where the lines stop, as of the engine by which they get furthest; null before any stage. */
  function* whereTheyStop(data, readings) {
    let top = readings[0];
    const at = (seen) => placeOf(data, stageOf(data, seen));
    for (const seen of readings) if (at(seen) > at(top)) top = seen;
    return at(top) ? yield* stopOf(data, top) : null;
  }

  /** For each other engine than the one that was told, the last line of each rank that only it writes. */
  function* foreign(data, seen) {
    const { find, pace } = shared.lines;
    const isOf = (engine, text) => data.own.get(engine).some((line) => find(line.pattern, text));
    const due = pace();
    const found = [];
    for (const engine of data.engines.filter((one) => one !== seen.engine)) {
      const lines = [];
      for (const log of allLogs(seen)) {
        for (let place = log.lines.length - 1; place >= 0; place -= 1) {
          const text = log.lines[place];
          if (due(text)) yield;
          if (!data.told.get(engine).test(text) || isOf(seen.engine, text)) continue;
          const patterns = data.own.get(engine).map((line) => line.pattern).filter((one) => find(one, text));
          lines.push({ ...lineOf(log, place), patterns });
          break;
        }
      }
      if (lines.length) found.push({ engine, lines });
    }
    return found;
  }

  /** The last line of each rank that no page and no stage knows, of whichever engine. */
  function lastUnknown(data, seen) {
    const { find, isText } = shared.lines;
    const known = [
      ...data.stages.flatMap((stage) => stage.lines.map((line) => line.pattern)),
      ...data.versions.map((line) => line.pattern),
      ...data.noise,
      ...data.secondary,
      ...data.pages.flatMap((page) => page.signatures.flatMap((one) => [...one.all, ...one.any, ...one.none])),
    ];
    const unknown = [];
    let last = 0;
    for (const log of allLogs(seen)) {
      let place = log.lines.length - 1;
      while (place >= 0 && !isText(log.lines[place])) place -= 1;
      if (place < 0) continue;
      const line = lineOf(log, place);
      // What may be anybody's is the last word only where it comes after all that is somebody's.
      if (log === seen.shared && line.number < last) continue;
      last = Math.max(last, line.number);
      if (!known.some((one) => find(one, log.lines[place]))) unknown.push(line);
    }
    return unknown;
  }

  /** The longest beginning of what is wanted that the line has; empty where that is short. */
  function beginsAlike(wanted, line) {
    let end = LEAST_ALIKE;
    if (!line.includes(wanted.slice(0, end))) return "";
    while (end < wanted.length && line.includes(wanted.slice(0, end + 1))) end += 1;
    return wanted.slice(0, end);
  }

  /** A line that is not there, and how the line where the paste stops begins like it. */
  function wantLine(asked, patterns) {
    let alike = "";
    for (const pattern of patterns) {
      for (const line of asked.stop.lines) {
        const begins = beginsAlike(pattern.literal, line.text);
        if (begins.length > alike.length) alike = begins;
      }
    }
    return { words: "a line with", patterns, alike };
  }

  const want = (words) => ({ words, patterns: [], alike: "" });

  /** Whether all ranks went on after the stage of the silence, or one has ended. */
  function isPast(data, { seen, stop }, one) {
    if (!one.silence) return false;
    if (stop.wentOn && one.silence.stage === stop.stage) return true;
    const place = placeOf(data, one.silence.stage);
    return seen.logs.some((log) => log.ended !== null) || place < 0 || place < placeOf(data, seen.stage);
  }

  function wantEngine({ seen, version }, page, one) {
    for (const entries of [page.engines, one.engines]) {
      if (!entries.length || entries.some((entry) => shared.lines.inRange(entry, seen.engine, version))) continue;
      const ranges = entries.map((entry) => entry.text).join(" or ");
      const read = seen.version ? `${seen.engine} ${seen.version}` : seen.engine;
      return [want(`another engine or version: ${ranges}; yours is read as ${read}`)];
    }
    return [];
  }

  function* wantLines(asked, one, held) {
    const { first } = shared.lines;
    const wants = [];
    if (one.all.length) {
      let best = null;
      for (const log of asked.seen.logs) {
        const hits = [];
        for (const pattern of one.all) hits.push(yield* first(log, pattern));
        if (!best || hits.filter(Boolean).length > best.filter(Boolean).length) best = hits;
      }
      for (const [at, hit] of best.entries()) {
        if (hit) held.push(hit);
        else wants.push(wantLine(asked, [one.all[at]]));
      }
    }
    if (one.any.length) {
      const before = held.length;
      for (const log of asked.seen.logs) {
        for (const pattern of one.any) {
          const hit = yield* first(log, pattern);
          if (hit) held.push(hit);
        }
      }
      if (held.length === before) wants.push(wantLine(asked, one.any));
    }
    return wants;
  }

  function wantEnd({ seen }, one) {
    if (!one.ended.length || seen.logs.some((log) => log.ended !== null && one.ended.includes(log.ended))) return [];
    return [want(`a container that ended with status ${one.ended.join(" or ")}`)];
  }

  function wantSilence(data, { seen }, one) {
    if (!one.silence) return [];
    const { stage, seconds } = one.silence;
    if (seen.stage === stage && seen.silent >= seconds) return [];
    const { title } = data.stages[placeOf(data, stage)];
    if (seen.silent >= seconds) {
      return [want(`lines by which every rank has reached “${title}”, as ${seen.engine} writes them`)];
    }
    return [want(`nothing new for ${seconds} s after every rank has reached “${title}”, and no end`)];
  }

  /** What a signature lacks; null where it is not near, fits, or something speaks against it. */
  function* nearOf(data, asked, page, one) {
    const { seen, stop } = asked;
    for (const log of seen.logs) {
      for (const pattern of one.none) if (yield* shared.lines.first(log, pattern)) return null;
    }
    if (isPast(data, asked, one)) return null;
    const held = [];
    const engine = wantEngine(asked, page, one);
    const lacking = [...engine, ...(yield* wantLines(asked, one, held)), ...wantEnd(asked, one)];
    const wants = [...lacking, ...wantSilence(data, asked, one)];
    const stage = one.silence ? one.silence.stage : page.stage;
    const atStage = stage === stop.stage && stage !== data.stages[0].id && !engine.length;
    if (!wants.length || !(atStage || (held.length && lacking.length <= 1))) return null;
    const close = held.length > 0 || Boolean(one.silence);
    return { page, evidence: shared.lines.merged(held), wants, close };
  }

  const place = (near) => [
    Number(!near.close),
    -Math.max(...near.wants.map((one) => one.alike.length)),
    near.wants.length,
  ];
  const order = (near) => [...place(near), Number(near.page.status !== "proven"), -near.page.seen, near.page.id];

  function compare(left, right) {
    const at = left.findIndex((value, index) => value !== right[index]);
    return at < 0 ? 0 : left[at] < right[at] ? -1 : 1;
  }

  /** The pages that are near: those that lack little first. */
  function* nearly(data, pages, readings) {
    const found = new Map();
    for (const seen of readings) {
      const asked = { seen, version: versionOf(seen), stop: yield* stopOf(data, seen) };
      for (const page of pages) {
        for (const one of page.signatures) {
          const near = yield* nearOf(data, asked, page, one);
          if (near && (!found.has(page.id) || compare(place(near), place(found.get(page.id))) < 0)) {
            found.set(page.id, near);
          }
        }
      }
    }
    return [...found.values()].sort((a, b) => compare(order(a), order(b))).slice(0, MOST_NEAR);
  }

  shared.near = { foreign, nearly, whereTheyStop, lastUnknown };
});
