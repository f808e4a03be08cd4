import { useEffect, useState } from "preact/hooks";
import { copyText } from "../lib/clipboard.ts";
import { t } from "../lib/i18n.ts";
import { Icon } from "./sprite.tsx";

const shownMs = 1500;

interface Props {
  /** Called at the click, so that nothing is built before it is wanted. */
  text: () => string;
  label: string;
  /** The label stands beside the icon. */
  wide?: boolean;
  icon?: "copy" | "link";
}

export function CopyButton({ text, label, wide = false, icon = "copy" }: Props) {
  const [state, setState] = useState<"" | "copied" | "failed">("");
  useEffect(() => {
    if (state === "") return;
    const timer = setTimeout(() => setState(""), shownMs);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async (event: Event) => {
    event.stopPropagation();
    setState((await copyText(text())) ? "copied" : "failed");
  };
  const said = state === "copied" ? t.copy.copied : state === "failed" ? t.copy.failed : "";
  return (
    <button
      type="button"
      class={wide ? "button" : "icon-button"}
      onClick={copy}
      aria-label={said || label}
      title={label}
    >
      <Icon name={state === "copied" ? "tick" : icon} />
      {wide ? <span>{said || label}</span> : said && <span class="said">{said}</span>}
    </button>
  );
}
