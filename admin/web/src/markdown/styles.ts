import { StyleModule } from "style-mod";

// CodeMirror writes its rules into a <style> element, which the policy of the page
// refuses. They are adopted as a sheet instead, which needs no permission.

const sheet = new CSSStyleSheet();
const adopted: StyleModule[] = [];

StyleModule.mount = (_root, modules) => {
  // Later modules of a list take precedence; those that are there stay behind the new ones.
  const added = [modules].flat().filter((each) => !adopted.includes(each));
  if (!added.length) return;
  adopted.unshift(...added);
  sheet.replaceSync(adopted.map((each) => each.getRules()).join("\n"));
  if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet);
};
