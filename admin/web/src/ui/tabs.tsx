// Tabs: arrow keys choose, as the ARIA pattern has it.

import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";
import { leftToRight } from "./direction";

export interface TabsProps<K extends string> {
  label: string;
  tabs: readonly { key: K; label: ComponentChildren }[];
  chosen: K;
  onChoose: (key: K) => void;
  /** The panel of the tab that is chosen. */
  children: ComponentChildren;
}

export function Tabs<K extends string>({ label, tabs, chosen, onChoose, children }: TabsProps<K>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const keys = (event: KeyboardEvent) => {
    const at = tabs.findIndex((tab) => tab.key === chosen);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1 + tabs.length, Home: 0, End: tabs.length - 1 }[leftToRight(event.key)];
    const next = to === undefined ? undefined : tabs[to % tabs.length];
    if (!next) return;
    event.preventDefault();
    onChoose(next.key);
    list.current?.querySelector<HTMLElement>(`[data-key="${next.key}"]`)?.focus();
  };
  return (
    <>
      <div ref={list} class="tabs" role="tablist" aria-label={label} onKeyDown={keys}>
        {tabs.map((tab) => (
          <button
            key={tab.key}
            type="button"
            class="tab"
            role="tab"
            id={`${id}-${tab.key}`}
            data-key={tab.key}
            aria-selected={tab.key === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={tab.key === chosen ? 0 : -1}
            onClick={() => onChoose(tab.key)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </>
  );
}
