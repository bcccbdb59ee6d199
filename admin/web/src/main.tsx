// The start of the admin.

import { render } from "preact";
import { preferredLanguage, useLanguage } from "./core/i18n";
import { startRouter } from "./core/router";
import { openSession } from "./core/session";
import { startTheme } from "./core/theme";
import { App } from "./screens/app";
import { startTooltips } from "./ui/tooltip";

startTheme();
startRouter();
startTooltips();
await Promise.all([useLanguage(preferredLanguage()), openSession()]);
render(<App />, document.getElementById("app") ?? document.body);
