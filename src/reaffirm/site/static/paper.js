/* What a reader left folded stays folded on paper. The theme unfolds everything; some pages would be fifty. */
(() => {
  "use strict";
  // Seen before the theme's own listener has opened them.
  window.addEventListener(
    "beforeprint",
    () => {
      for (const one of document.querySelectorAll("article details")) one.toggleAttribute("data-rf-folded", !one.open);
    },
    true,
  );
  window.addEventListener("afterprint", () => {
    for (const one of document.querySelectorAll("[data-rf-folded]")) one.removeAttribute("data-rf-folded");
  });
})();
