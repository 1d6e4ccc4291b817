() => {
  const wrong = [];
  const article = document.querySelector("article");
  if (!article) return ["there is no article"];
  for (const one of article.querySelectorAll("*")) {
    for (const name of one.getAttributeNames()) if (name.startsWith("on")) wrong.push(`${one.tagName} ${name}`);
    for (const kind of ["mouseover", "focus", "load", "error"]) one.dispatchEvent(new Event(kind));
    if (getComputedStyle(one).position === "fixed") wrong.push(`fixed: ${one.outerHTML.slice(0, 80)}`);
    const to = one.href instanceof SVGAnimatedString ? one.href.baseVal : one.getAttribute("href");
    if (to !== null && to !== undefined && !/^(https?|mailto):$/.test(new URL(to, document.baseURI).protocol)) {
      wrong.push(`leads to ${to.slice(0, 80)}`);
    }
  }
  // Forms are made by scripts of ours and send nothing anywhere.
  const never = "script, iframe, object, embed, meta, link, base, video, form[action], form:not([class^='rf-'])";
  for (const one of article.querySelectorAll(never)) wrong.push(one.outerHTML.slice(0, 120));
  for (const one of article.querySelectorAll("style")) {
    if (!one.closest("svg")) wrong.push(one.outerHTML.slice(0, 120));
  }
  for (const name of ["header", "main", "footer"]) {
    const boxes = [...document.querySelectorAll(name)].map((one) => one.getBoundingClientRect());
    if (!boxes.some((box) => box.width > 100 && box.height > 10)) wrong.push(`${name} is not to be seen`);
  }
  // The theme's list of results has one for each page that was found.
  const headings = [...document.querySelectorAll("h1")].filter((one) => !one.closest(".md-search"));
  if (headings.length !== 1) wrong.push(`${headings.length} h1`);
  if (!document.querySelector("main article h1")) wrong.push("the h1 has left the article");
  const settings = document.getElementById("__config");
  if (!settings || settings.tagName !== "SCRIPT") wrong.push("the theme's settings are hidden by a part of the page");
  if (window.__pwned !== undefined) wrong.push("something ran");
  return wrong;
}
