/* What is typed into the search is read as words. Its language has signs (`+`, `-`, `:`, `*`, `~`, `^`), and half a
   term of it, such as the dash of a name that is still being typed, would be an error and find nothing. */
(() => {
  "use strict";
  if (!window.Worker || !document.querySelector(".md-search")) return;
  const QUERY = 2; // the theme's word for a message with a query
  const FIELD = /^(title|text|tags):(?=[\p{L}\p{N}])/u;

  // The index has none of these words (nor `no`, which is part of what people see: "no output"). With the theme's `*` behind it, each finds whatever begins like it: "address
  // already in use" led to `interface`.
  const SMALL = new Set(
    (
      "a able about across after all almost also am among an and any are as at be because been but by can " +
      "cannot could dear did do does either else ever every for from get got had has have he her hers him his " +
      "how however i if in into is it its just least let like likely may me might most must my neither nor " +
      "not of off often on only or other our own rather said say says she should since so some than that the " +
      "their them then there these they this tis to too twas us wants was we were what when where which while " +
      "who whom why will with would yet you your"
    ).split(" ")
  );

  /** A word of a query: `+must` and `-not` stay, a field and its colon too, and no other sign that leads or ends. */
  const tame = (word) => {
    const sign = /^[+-](?=[\p{L}\p{N}])/u.exec(word)?.[0] ?? "";
    const rest = word.slice(sign.length);
    const field = FIELD.exec(rest)?.[0] ?? "";
    const said = rest.slice(field.length).replace(/[*^~:]+/g, " ").replace(/(^|["\s])[-+]+|[-+]+(?=["\s]|$)/g, "$1").trim();
    return said ? sign + field + said : "";
  };

  /** What is searched for: without small words, unless there is nothing else or somebody put words into quotes. */
  const meant = (query) => {
    const words = query.split(/\s+/).map(tame).filter(Boolean);
    const long = query.includes('"') ? words : words.filter((word) => !SMALL.has(word.toLowerCase()));
    return (long.length ? long : words).join(" ");
  };

  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message, ...rest) {
    const asked = message && message.type === QUERY && typeof message.data === "string";
    return post.call(this, asked ? { ...message, data: meant(message.data) } : message, ...rest);
  };
})();
