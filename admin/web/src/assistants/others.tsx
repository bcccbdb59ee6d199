// The assistants of somebody else, for whoever may change their account.

import { useEffect, useState } from "preact/hooks";
import { request } from "../core/api";
import { Dialog } from "../ui/dialog";
import { toastError } from "../ui/toasts";
import type { Assistant } from "./assistant";
import { AssistantTable } from "./table";
import { t } from "./words";

export interface AssistantsOfProps {
  id: string;
  name: string;
  onClose: () => void;
}

export function AssistantsOf({ id, name, onClose }: AssistantsOfProps) {
  const path = `/accounts/${id}/assistants`;
  const [list, setList] = useState<readonly Assistant[] | null>(null);
  const load = async () => setList((await request<Assistant[]>("GET", path)).data);
  useEffect(() => void load().catch(toastError), [id]);
  return (
    <Dialog open title={t("of", { name })} onClose={onClose}>
      {list?.length === 0 && <p>{t("of-none", { name })}</p>}
      {list && list.length > 0 && <AssistantTable assistants={list} path={path} onEnded={load} />}
    </Dialog>
  );
}
