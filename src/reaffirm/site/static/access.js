/* Names and a place for the keyboard where the theme gives none. The page is complete without it. */
(() => {
  "use strict";

  const SCROLLS =
    ".md-typeset__scrollwrap, .md-typeset pre > code, .rf-picture, .rf-frame, p:has(> .rf-wide-picture)";

  /** The search is a dialog; a screen reader announces it by name. */
  const nameTheSearch = () => {
    const dialog = document.querySelector(".md-search[role=dialog]:not([aria-label])");
    const input = dialog && dialog.querySelector("input");
    if (dialog) dialog.setAttribute("aria-label", (input && input.getAttribute("aria-label")) || "Search");
  };

  /** What scrolls sideways can be reached and scrolled with the keyboard. */
  const reachWhatScrolls = () => {
    for (const box of document.querySelectorAll(SCROLLS)) {
      const scrolls = box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1;
      if (scrolls && !box.hasAttribute("tabindex")) box.setAttribute("tabindex", "0");
    }
  };

  /** On paper a link to a run must say where it leads. */
  const writeAddresses = () => {
    for (const link of document.querySelectorAll('article a[href*="runs/"]:not([data-rf-address])')) {
      const to = new URL(link.href, document.baseURI);
      if (/\/runs\/[^/]+\/[^/]+/.test(to.pathname)) link.dataset.rfAddress = to.href;
    }
  };

  const look = () => {
    nameTheSearch();
    writeAddresses();
    reachWhatScrolls();
  };
  if (window.document$) window.document$.subscribe(look);
  else document.addEventListener("DOMContentLoaded", look);
  window.addEventListener("load", reachWhatScrolls);
  window.addEventListener("resize", reachWhatScrolls);
})();
