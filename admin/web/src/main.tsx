// The start of the admin.

import { render } from "preact";
import { startCommands } from "./core/commands";
import { preferredLanguage, useLanguage } from "./core/i18n";
import { startRouter } from "./core/router";
import { loadSchema } from "./core/schema";
import { loadPreferences, mayBeSignedIn, openSession } from "./core/session";
import { startTheme } from "./core/theme";
import { App } from "./screens/app";
import { startTooltips } from "./ui/tooltip";

startTheme();
startRouter();
startTooltips();
startCommands();

// All that the first page needs is asked for at once; what fails is asked for again by it.
const asked: Promise<unknown>[] = [useLanguage(preferredLanguage()), openSession()];
if (mayBeSignedIn()) asked.push(loadSchema({ quiet: true }), loadPreferences({ quiet: true }));
await Promise.allSettled(asked);
render(<App />, document.getElementById("app") ?? document.body);
