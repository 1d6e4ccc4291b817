/* Names and options stay in one piece, and what is copied from a session in a terminal is its commands alone.
   The page is complete without it. */
(() => {
  "use strict";
  const OPTION = /(^|[\s[(])(--?[A-Za-z][\w-]*)/g;
  const NAME = /^[\w.:/]+(?:-[\w.:/]+)+$/;
  const SHORT = 18; // characters; a longer name may be broken where it has a dash

  const whole = (text) => {
    const span = document.createElement("span");
    span.className = "rf-nowrap";
    span.textContent = text;
    return span;
  };

  /** No line ends within `--force`. */
  const keepOptions = () => {
    for (const code of document.querySelectorAll("article :not(pre) > code")) {
      const node = code.firstChild;
      if (code.childNodes.length !== 1 || node.nodeType !== 3 || !/(^|[\s[(])--?[A-Za-z]/.test(node.data)) continue;
      const parts = [];
      let at = 0;
      for (const found of node.data.matchAll(OPTION)) {
        const begin = found.index + found[1].length;
        parts.push(node.data.slice(at, begin), whole(found[2]));
        at = begin + found[2].length;
      }
      parts.push(node.data.slice(at));
      code.replaceChildren(...parts);
    }
  };

  /** No line of a table ends within `spark-1`. */
  const keepNames = () => {
    for (const cell of document.querySelectorAll("article td")) {
      const { textContent: text } = cell;
      if (text.length <= SHORT && NAME.test(text)) cell.classList.add("rf-nowrap");
    }
  };

  /** The commands of a session: what follows `$ `, with the lines that go on after a backslash. */
  const commands = (session) => {
    const found = [];
    let goesOn = false;
    for (const line of session.split("\n")) {
      if (line.startsWith("$ ")) found.push(line.slice(2));
      else if (goesOn) found.push(line.replace(/^> /, ""));
      else continue;
      goesOn = line.endsWith("\\");
    }
    return found.join("\n");
  };

  /** The theme's button copies what is written here, where it is. */
  const copyCommands = () => {
    for (const code of document.querySelectorAll("article .highlight pre > code")) {
      const text = code.textContent;
      if (text.startsWith("$ ")) code.setAttribute("data-copy", commands(text));
    }
  };

  const look = () => {
    keepOptions();
    keepNames();
    copyCommands();
  };
  if (window.document$) window.document$.subscribe(look);
  else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", look);
  else look();
})();
