// Connects a page with the form beside it in the admin of Quire. Include it in pages that are
// shown as previews: <script src="preview.js" data-admin="https://cms.example.org"></script>
// docs/preview.md describes the messages and the marks behind texts.
(() => {
  const included = document.currentScript?.dataset.admin;
  const admin = included ?? window.quireAdmin; // the admin itself sends this to front ends made for Strapi
  if (window.parent === window || window.quirePreview) return;
  window.quirePreview = true;
  const say = (type, payload) => window.parent.postMessage({ type, payload }, admin);

  const digits = "\u200b\u200c\u200d\ufeff";
  const mark = /\u200b{4}[\u200b\u200c\u200d\ufeff]+/g;
  function decode(text) {
    let json = "";
    for (let i = 4; i + 4 <= text.length; i += 4) json += String.fromCharCode([...text.slice(i, i + 4)].reduce((n, c) => n * 4 + digits.indexOf(c), 0));
    return JSON.parse(json).strapiSource;
  }

  // clean moves the mark of a text to its element, and returns the text without it.
  function clean(text, element) {
    const found = text.match(mark);
    if (!found || !element) return text;
    try {
      element.setAttribute("data-strapi-source", decode(found[0]));
    } catch {
      return text; // not a mark
    }
    return text.replace(mark, "");
  }
  function read(root) {
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = root.nodeType === Node.TEXT_NODE ? root : texts.nextNode(); node; node = texts.nextNode()) {
      if (node.parentElement?.closest("script, style")) continue;
      const text = clean(node.data, node.parentElement);
      if (text !== node.data) node.data = text;
    }
    for (const picture of root.querySelectorAll?.("img[alt]") ?? []) {
      const text = clean(picture.alt, picture);
      if (text !== picture.alt) picture.alt = text;
    }
  }

  const sourceOf = (element) => new URLSearchParams(element.getAttribute("data-strapi-source"));
  const pathOf = (source) => source.get("fieldPath") ?? source.get("path");
  const shows = (field) => [...document.querySelectorAll("[data-strapi-source]")].filter((element) => pathOf(sourceOf(element)) === field);
  const focused = (field) => {
    for (const element of document.querySelectorAll("[data-strapi-focused]")) element.removeAttribute("data-strapi-focused");
    for (const element of shows(field)) element.setAttribute("data-strapi-focused", "");
  };

  addEventListener("message", ({ origin, data }) => {
    if (origin !== admin) return;
    const { type, payload } = data ?? {};
    if (type === "strapiUpdate" && included) {
      if (dispatchEvent(new CustomEvent("quire:update", { cancelable: true }))) location.reload();
    } else if (type === "strapiFieldFocus") focused(payload.field);
    else if (type === "strapiFieldBlur") focused();
    else if (type === "strapiFieldChange") {
      dispatchEvent(new CustomEvent(type, { detail: payload }));
      if (typeof payload.value !== "string") return;
      for (const element of shows(payload.field)) if (!element.childElementCount) element.textContent = payload.value;
    }
  });
  addEventListener("dblclick", (event) => {
    const element = event.target.closest?.("[data-strapi-source]");
    if (!element) return;
    event.preventDefault();
    const source = sourceOf(element);
    say("strapiFieldFocusIntent", { ...Object.fromEntries(source), path: pathOf(source) });
  });

  function begin() {
    const style = new CSSStyleSheet();
    style.replaceSync("[data-strapi-source]:hover, [data-strapi-focused] { outline: 2px solid #4945ff; outline-offset: 2px; }");
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, style];
    read(document);
    new MutationObserver((changes) => {
      for (const { type, target, addedNodes } of changes) (type === "characterData" ? [target] : addedNodes).forEach(read);
    }).observe(document, { childList: true, subtree: true, characterData: true });
    if (included) say("previewReady");
  }
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", begin);
  else begin();
})();
