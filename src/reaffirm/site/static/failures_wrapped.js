/* Lines of a pasted log that a narrow terminal, or whatever they were copied through, has broken into several. The same
   as Python's diagnose/wrapped.py, step by step: tests hold the two against each other. */
((part) => {
  // Kept for the worker, which is made of the text of such parts.
  const shared = (globalThis.reaffirm = globalThis.reaffirm || {});
  (shared.parts = shared.parts || []).push(part);
  part();
})(() => {
  "use strict";
  const shared = (globalThis.reaffirm = globalThis.reaffirm || {});
  const JOIN_LINES = 2000; // the last ones of a paste
  const MOST_PIECES = 4;
  const WIDEST = 400; // signs; no terminal is wider
  // How a line of a log begins: time, process, level, rank.
  const HEAD = /^(?:[([]|[0-9]{4}-[0-9]{2}|(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)(?: |:|$)|(?:DP|PP|TP|EP|CP)[0-9])/u;

  const isWide = (text) => text.length > WIDEST && [...text].length > WIDEST;

  /** How many pieces from a place on are one line, and that line; 0 where none are. */
  function wholeAt(patterns, limit, parts, led, place) {
    const { find, isText, searched } = shared.lines;
    for (let pieces = 2; pieces <= MOST_PIECES; pieces += 1) {
      const end = place + pieces;
      if (end > parts.length || led[end - 1] !== led[place]) break;
      if (!isText(parts[end - 2]) || isWide(parts[end - 2])) break;
      if (!isText(parts[end - 1]) || HEAD.test(parts[end - 1])) break;
      for (const glue of ["", " "]) {
        const whole = searched(parts.slice(place, end).join(glue), limit);
        const within = [parts.slice(place, end - 1).join(glue), parts.slice(place + 1, end).join(glue)];
        const isNew = (one) => find(one, whole) && !within.some((part) => find(one, part));
        if (patterns.some(isNew)) return { pieces, whole };
      }
    }
    return { pieces: 0, whole: "" };
  }

  /** The lines with those in one that were broken, and which ones that are: neighbours of which a page knows the whole
      and neither part, and none but the first begins as lines of a log do. The others stay as empty lines, so that
      all keep their number. `names` stand before the lines and name their ranks; null where nothing does. */
  function* unwrapped(data, lines, names) {
    const { pace, searched, strip } = shared.lines;
    const patterns = [
      ...new Set(data.pages.flatMap((page) => page.signatures.flatMap((one) => [...one.all, ...one.any]))),
    ];
    const out = [...lines];
    const start = Math.max(out.length - JOIN_LINES, 0);
    const led = names ? names.slice(start) : out.slice(start).map(() => "");
    const parts = out.slice(start).map((line, at) => searched(line.slice(led[at].length), data.lineLimit));
    const joined = [];
    const due = pace();
    let place = 0;
    while (place < parts.length) {
      if (due(parts[place])) yield;
      const { pieces, whole } = wholeAt(patterns, data.lineLimit, parts, led, place);
      if (pieces) {
        out[start + place] = led[place] + whole;
        for (let at = place + 1; at < place + pieces; at += 1) out[start + at] = led[at];
        joined.push(strip(whole));
      }
      place += pieces || 1;
    }
    return { lines: out, joined };
  }

  shared.wrapped = { unwrapped };
});
