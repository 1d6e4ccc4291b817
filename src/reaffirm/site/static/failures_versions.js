/* Versions as Python's packaging reads and compares them (PEP 440), for the ranges of failure pages. */
((part) => {
  // Kept for the worker, which is made of the text of such parts.
  const shared = (globalThis.reaffirm = globalThis.reaffirm || {});
  (shared.parts = shared.parts || []).push(part);
  part();
})(() => {
  "use strict";
  const PARTS = new RegExp(
    "^[\\t-\\r\\x1c-\\x20]*v?(?:([0-9]+)!)?([0-9]+(?:\\.[0-9]+)*)" +
      "([-_.]?(alpha|a|beta|b|preview|pre|c|rc)[-_.]?([0-9]+)?)?" +
      "((?:-([0-9]+))|(?:[-_.]?(post|rev|r)[-_.]?([0-9]+)?))?" +
      "([-_.]?(dev)[-_.]?([0-9]+)?)?" +
      "(?:\\+([a-z0-9]+(?:[-_.][a-z0-9]+)*))?[\\t-\\r\\x1c-\\x20]*$",
    "i",
  );
  const PRE = { alpha: "a", beta: "b", c: "rc", pre: "rc", preview: "rc" };

  /** Return a version in its parts; null where the text is none. */
  function parse(text) {
    const found = PARTS.exec(text);
    if (!found || /[^\x00-\x7f]/.test(text)) return null;
    const number = (digits) => (digits ? BigInt(digits) : 0n);
    const word = (found[4] || "").toLowerCase();
    const pre = found[3] ? [PRE[word] || word, number(found[5])] : null;
    const post = found[6] ? number(found[7] || found[9]) : null;
    const dev = found[10] ? number(found[12]) : null;
    const local = found[13] ? found[13].toLowerCase().split(/[-_.]/) : null;
    const release = found[2].split(".").map(BigInt);
    return { epoch: number(found[1]), release, pre, post, dev, local, isPre: Boolean(pre) || dev !== null };
  }

  const sign = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

  function stripped(release) {
    let end = release.length;
    while (end > 0 && release[end - 1] === 0n) end -= 1;
    return release.slice(0, end);
  }

  function compareLists(a, b, compare) {
    for (let at = 0; at < Math.min(a.length, b.length); at += 1) {
      const one = compare(a[at], b[at]);
      if (one) return one;
    }
    return sign(a.length, b.length);
  }

  /* What is not there sorts as PEP 440 says: [rank, value], lower ranks first. */
  function preKey(one) {
    if (one.pre) return [1, one.pre];
    return one.post === null && one.dev !== null ? [0, null] : [2, null];
  }

  function compareLocal(a, b) {
    const digits = /^[0-9]+$/;
    if (digits.test(a) && digits.test(b)) return sign(BigInt(a), BigInt(b));
    if (digits.test(a) !== digits.test(b)) return digits.test(a) ? 1 : -1;
    return sign(a, b);
  }

  /** Compare two versions: below 0, 0, above 0. */
  function compare(a, b, withLocal = true) {
    const [preA, preB] = [preKey(a), preKey(b)];
    const order = [
      () => sign(a.epoch, b.epoch),
      () => compareLists(stripped(a.release), stripped(b.release), sign),
      () => sign(preA[0], preB[0]) || (preA[1] ? compareLists(preA[1], preB[1], sign) : 0),
      () => sign(a.post === null ? -1n : a.post, b.post === null ? -1n : b.post),
      () => (a.dev === null || b.dev === null ? sign(a.dev === null, b.dev === null) : sign(a.dev, b.dev)),
    ];
    for (const step of order) {
      const one = step();
      if (one) return one;
    }
    if (!withLocal) return 0;
    if (!a.local || !b.local) return sign(Boolean(a.local), Boolean(b.local));
    return compareLists(a.local, b.local, compareLocal);
  }

  const sameBase = (a, b) =>
    a.epoch === b.epoch && compareLists(stripped(a.release), stripped(b.release), sign) === 0;

  function pieces(one, least) {
    const release = [...one.release];
    while (release.length < least) release.push(0n);
    const more = [];
    if (one.pre) more.push(one.pre.join(""));
    if (one.post !== null) more.push(`post${one.post}`);
    if (one.dev !== null) more.push(`dev${one.dev}`);
    return [one.epoch, ...release, ...more];
  }

  function startsWith(version, text) {
    const wanted = parse(text);
    if (!wanted) return false;
    const prefix = pieces(wanted, 0);
    const whole = pieces(version, wanted.release.length);
    return prefix.every((piece, at) => whole[at] === piece);
  }

  /** Whether a version that is no pre-release is meant by one part of a range, such as ">=" and "0.5.10". */
  function holds(version, operator, text) {
    if (operator === "!=") return !holds(version, "==", text);
    if (operator === "==" && text.endsWith(".*")) return startsWith(version, text.slice(0, -2));
    const wanted = parse(text);
    if (!wanted) return false;
    const order = compare(version, wanted, false);
    switch (operator) {
      case "==":
        return wanted.local ? compare(version, wanted) === 0 : order === 0;
      case "<=":
        return order <= 0;
      case ">=":
        return order >= 0;
      case "<":
        return compare(version, wanted) < 0;
      case ">":
        if (compare(version, wanted) <= 0) return false;
        if (wanted.isPre) return true; // the releases after it are another family, as packaging 26 has it
        if (wanted.post === null && version.post !== null && sameBase(version, wanted)) return false;
        return !(version.local && sameBase(version, wanted) && order === 0);
      case "~=": {
        const prefix = wanted.release.slice(0, -1).join(".");
        return order >= 0 && startsWith(version, wanted.epoch ? `${wanted.epoch}!${prefix}` : prefix);
      }
      default:
        return false;
    }
  }

  const shared = (globalThis.reaffirm = globalThis.reaffirm || {});
  shared.versions = { parse, compare, holds };
});
