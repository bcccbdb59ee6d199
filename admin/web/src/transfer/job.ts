// What is under way with the data of the site as a whole, as the server says it.

import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, request } from "../core/api";

export interface NowAndThen {
  now: number;
  then: number;
}

export interface Plan {
  madeAt: string;
  program: string;
  sameSchemas: boolean;
  types: ({ uid: string; name: string } & NowAndThen)[];
  accounts: NowAndThen;
  missing: number;
  changes: number | null;
}

/** What is done with content that is there. */
export type Existing = "refuse" | "merge" | "replace";

export interface ImportPlan {
  existing: Existing;
  skipErrors: boolean;
  types: ({ uid: string; name: string } & NowAndThen)[];
  taken: { what: string; n: number }[];
  left: { what: string; n: number; why: string }[];
  skipped: string[];
  skips: number;
  problems: string[];
  more: boolean;
}

export interface Job {
  kind: "look" | "restore" | "export" | "receive" | "plan" | "import";
  file: string;
  by: string;
  running: boolean;
  phase: "read" | "save" | "switch" | "write" | "done";
  startedAt: string;
  problem: "" | "damaged" | "unfit" | "full" | "cancelled" | "occupied" | "other";
  detail: string;
  plan: Plan | null;
  /** Entries that an export has written, and all there are; 0 where nobody knows. */
  done: number;
  total: number;
  bytes: number;
  /** Bytes that an import reads; 0 where nobody knows. */
  size: number;
  /** The backup that was made before; empty for none. */
  saved: string;
  /** What the file of an import is; empty for none. */
  form: "" | "lines" | "archive" | "sealed";
  /** What an import would do. */
  import: ImportPlan | null;
}

export interface State {
  job: Job | null;
  /** What has to be typed before anything is replaced. */
  site: string;
}

/** How often the page looks how far it is, in milliseconds. */
const again = 700;

export interface Jobs {
  state: State | null;
  /** Asks what is under way. */
  look: () => Promise<State | null>;
  /** Begins something else. */
  begin: (path: string, body: unknown) => Promise<void>;
}

/** What is under way. restored is called when a restore has ended the session. */
export function useJob(restored: () => void): Jobs {
  const [state, setState] = useState<State | null>(null);
  const kind = useRef<Job["kind"]>("look"); // of what was begun here or seen last
  const running = state?.job?.running ?? false;
  const look = async () => {
    try {
      const { data } = await request<State>("GET", "/transfer", { quiet: true });
      if (data.job) kind.current = data.job.kind;
      setState(data);
      return data;
    } catch (error) {
      if (kind.current === "restore" && error instanceof ApiError && error.status === 401) restored();
      return null; // it is asked again
    }
  };
  const begin = async (path: string, body: unknown) => {
    const { data: job } = await request<Job>("POST", path, { body });
    kind.current = job.kind;
    setState((before) => before && { ...before, job });
    await look();
  };
  useEffect(() => void look(), []);
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => void look(), again);
    return () => clearInterval(timer);
  }, [running]);
  return { state, look, begin };
}
