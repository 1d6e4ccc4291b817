/* Inside of the frame: a source comes as a message, its picture goes back as one. */
(() => {
  "use strict";

  const settings = (dark) => ({
    startOnLoad: false,
    securityLevel: "strict",
    suppressErrorRendering: true,
    deterministicIds: true,
    // Words as text of the picture: HTML inside of an image is drawn differently by every browser.
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    fontFamily: "system-ui, sans-serif",
    theme: dark ? "dark" : "default",
    secure: ["secure", "securityLevel", "startOnLoad", "maxTextSize", "maxEdges", "suppressErrorRendering", "htmlLabels"],
  });
  let last = Promise.resolve();
  let number = 0;

  const draw = async ({ id, source, dark }) => {
    const answer = { id, svg: "", error: "" };
    try {
      window.mermaid.initialize(settings(dark));
      answer.svg = (await window.mermaid.render(`rf-${++number}`, String(source))).svg;
    } catch (error) {
      answer.error = String((error && error.message) || error).slice(0, 300);
    }
    window.parent.postMessage(answer, "*");
  };

  window.addEventListener("message", (event) => {
    if (event.source !== window.parent || !event.data || typeof event.data.source !== "string") return;
    last = last.then(() => draw(event.data));
  });
  window.parent.postMessage({ id: "ready" }, "*");
})();
