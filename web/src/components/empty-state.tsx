import type { ComponentChildren } from "preact";

/** One sentence on what is true, and one on what comes next. */
export function EmptyState({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
