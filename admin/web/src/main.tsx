// The start of the admin.

import { render } from "preact";
import { ApiError } from "./core/api";
import { startCommands } from "./core/commands";
import { preferredLanguage, useLanguage } from "./core/i18n";
import { startRouter } from "./core/router";
import { mayBeSignedIn, openSession } from "./core/session";
import { startTheme } from "./core/theme";
import { App, loadAhead } from "./screens/app";
import { startLoadingAhead } from "./screens/documents";
import { toastError } from "./ui/toasts";
import { startTooltips } from "./ui/tooltip";

startTheme();
startRouter();
startTooltips();
startCommands();
startLoadingAhead();
addEventListener("unhandledrejection", ({ reason }) => {
  if (reason instanceof ApiError && !reason.offline) toastError(reason); // the frame says that the server is not reached
});

// All that the first page needs is asked for at once; what fails is asked for again by it.
const asked: Promise<unknown>[] = [useLanguage(preferredLanguage()), openSession()];
if (mayBeSignedIn()) asked.push(loadAhead());
await Promise.allSettled(asked);
render(<App />, document.getElementById("app") ?? document.body);
