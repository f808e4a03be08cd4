import type { ComponentChildren } from "preact";
import { Icon, type Picture } from "./sprite.tsx";

interface Props {
  tone: "warn" | "fail" | "good" | "plain";
  icon: Picture;
  title: string;
  children?: ComponentChildren;
  actions?: ComponentChildren;
  /** Only for what has to interrupt. */
  alert?: boolean;
}

/** One line about the whole page or run. */
export function Banner({ tone, icon, title, children, actions, alert = false }: Props) {
  return (
    <div class={`banner tone-${tone}`} role={alert ? "alert" : undefined}>
      <Icon name={icon} />
      <p>
        <strong>{title}</strong> {children}
      </p>
      {actions && <div class="banner-actions">{actions}</div>}
    </div>
  );
}
