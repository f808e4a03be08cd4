import type { ComponentChildren } from "preact";
import { useRun } from "./run-context.ts";
import { Icon } from "./sprite.tsx";

interface Props {
  /** Its name among the run's open and closed parts. */
  name: string;
  label: string;
  children: ComponentChildren;
  initially?: boolean;
  class?: string;
}

/** A part that opens and closes, and stays so whatever happens to the components. */
export function Disclosure({ name, label, children, initially = false, class: className = "" }: Props) {
  const open = useRun().disclosure(name, initially);
  return (
    <div class={`disclosure ${className} ${open.value ? "is-open" : ""}`}>
      <button
        type="button"
        aria-expanded={open.value}
        onClick={() => {
          open.value = !open.value;
        }}
      >
        <Icon name="chevron" class="chevron" />
        {label}
      </button>
      {open.value && children}
    </div>
  );
}
