// What a page says that has nothing to show.

import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon";

export interface EmptyProps {
  icon?: IconName;
  title: string;
  /** It is the whole page, and its title that of the page. */
  page?: boolean;
  /** The one button that makes what belongs here. */
  action?: ComponentChildren;
  children?: ComponentChildren;
}

export function Empty({ icon = "documents", title, page, action, children }: EmptyProps) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} size={24} />
      </span>
      {page ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}
