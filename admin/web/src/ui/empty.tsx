// What a page says that has nothing to show.

import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon";

export interface EmptyProps {
  icon?: IconName;
  title: string;
  /** The one button that makes what belongs here. */
  action?: ComponentChildren;
  children?: ComponentChildren;
}

export function Empty({ icon = "documents", title, action, children }: EmptyProps) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} size={24} />
      </span>
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}
