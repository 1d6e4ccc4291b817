/* Draws the Mermaid sources of a page. Without it a reader sees the sources, as code.

   Mermaid runs in a frame that has no origin (sandbox) and may load nothing (its own Content-Security-Policy);
   what comes back is shown as an image, in which nothing runs and nothing is loaded. */
(() => {
  "use strict";

  const FRAME = new URL("mermaid/frame.html", document.currentScript.src).href;
  const PATIENCE = 20000; // milliseconds for one diagram
  const waiting = new Map();
  let frame = null;
  let ready = null;
  let number = 0;

  /** Open the frame once. */
  const open = () => {
    if (ready) return ready;
    frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts");
    frame.setAttribute("aria-hidden", "true");
    frame.setAttribute("title", "Draws diagrams");
    frame.tabIndex = -1;
    // It must have a size: text in it is measured.
    frame.style.cssText = "position:fixed;left:-3000px;top:0;width:1600px;height:1200px;border:0;visibility:hidden";
    frame.src = FRAME;
    ready = new Promise((resolve, reject) => {
      waiting.set("ready", resolve);
      setTimeout(() => reject(new Error("the program that draws did not load")), PATIENCE);
    });
    document.body.append(frame);
    return ready;
  };

  window.addEventListener("message", (event) => {
    if (!frame || event.source !== frame.contentWindow || !event.data) return;
    const answer = waiting.get(event.data.id);
    waiting.delete(event.data.id);
    if (answer) answer(event.data);
  });

  /** Return the picture of a source as an image, in one of two schemes. */
  const draw = async (source, dark) => {
    await open();
    const id = `diagram-${++number}`;
    const answer = await new Promise((resolve, reject) => {
      waiting.set(id, resolve);
      setTimeout(() => reject(new Error("it took too long to draw")), PATIENCE);
      frame.contentWindow.postMessage({ id, source, dark }, "*");
    });
    if (answer.error) throw new Error(String(answer.error));
    const svg = new DOMParser().parseFromString(String(answer.svg), "image/svg+xml").documentElement;
    const box = (svg.getAttribute("viewBox") || "").split(/[\s,]+/).map(Number);
    if (svg.localName !== "svg" || box.length !== 4 || !(box[2] > 0 && box[3] > 0)) throw new Error("no picture came of it");
    svg.setAttribute("width", box[2]);
    svg.setAttribute("height", box[3]);
    svg.style.maxWidth = "";
    const image = document.createElement("img");
    const title = svg.querySelector("title");
    image.alt = (title && title.textContent.trim()) || "Diagram; its source is below";
    image.width = Math.ceil(box[2]);
    image.height = Math.ceil(box[3]);
    image.className = dark ? "rf-dark" : "rf-light";
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(new XMLSerializer().serializeToString(svg));
    return image;
  };

  /** Put the picture of a block before it, and fold the block. */
  const show = async (block) => {
    const source = (block.querySelector("code") || block).textContent;
    const figure = document.createElement("figure");
    figure.className = "rf-diagram";
    block.replaceWith(figure);
    figure.append(block);
    try {
      const images = [await draw(source, false), await draw(source, true)];
      const fold = document.createElement("details");
      const summary = document.createElement("summary");
      summary.textContent = "Source of this diagram";
      fold.append(summary, block);
      figure.append(...images, fold);
    } catch (error) {
      const note = document.createElement("figcaption");
      note.textContent = `Not drawn: ${error.message.slice(0, 200)}`;
      figure.append(note);
    }
  };

  /** Take all sources of the page, also those that the theme would draw with a program from elsewhere. */
  const take = () => {
    const found = document.querySelectorAll(".rf-mermaid, div.language-mermaid, pre.mermaid, div.mermaid, pre > code.language-mermaid");
    for (let block of found) {
      if (block.closest(".rf-diagram")) continue;
      if (block.matches("code")) block = block.parentElement;
      block.classList.remove("mermaid");
      show(block);
    }
  };

  // Material asks for this when it meets a diagram before us, after a click with instant navigation.
  if (!window.mermaid || window.mermaid instanceof Element) {
    window.mermaid = {
      initialize() {},
      async render(_, source) {
        const dark = document.body.getAttribute("data-md-color-scheme") === "slate";
        const image = await draw(source, dark);
        image.style.maxWidth = "100%";
        image.style.height = "auto";
        return { svg: image.outerHTML };
      },
    };
  }
  take(); // at once: the theme looks for diagrams when the document is ready
  if (window.document$) window.document$.subscribe(take);
  else document.addEventListener("DOMContentLoaded", take);
})();
