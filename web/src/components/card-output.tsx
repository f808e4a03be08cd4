import type { Tool } from "@ringside/client";
import { useEffect, useState } from "preact/hooks";
import { bytes } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { loadOutput, outputHref, type WholeOutput } from "../lib/whole-output.ts";
import { OutputBlock } from "./output-block.tsx";
import { useRun } from "./run-context.ts";

type Loading =
  | { readonly state: "no" | "yes" }
  | { readonly state: "done"; readonly output: WholeOutput }
  | { readonly state: "failed"; readonly why: string };

/** A settled card's result, and on demand the whole output that was kept. */
export function CardOutput({ tool }: { tool: Tool }) {
  const { run } = useRun();
  const [loading, setLoading] = useState<Loading>({ state: "no" });
  const wanted = loading.state === "yes";
  useEffect(() => {
    if (!wanted) return;
    const stop = new AbortController();
    loadOutput(run, tool.key, t.card.gone, stop.signal).then(
      (output) => setLoading({ state: "done", output }),
      (error: unknown) => {
        if (!stop.signal.aborted)
          setLoading({ state: "failed", why: error instanceof Error ? error.message : String(error) });
      },
    );
    return () => stop.abort();
  }, [wanted, run, tool.key]);

  const whole = loading.state === "done" ? loading.output : undefined;
  const failed = tool.status === "error";
  return (
    <>
      <OutputBlock
        title={failed ? t.card.error : t.card.output}
        text={whole?.text ?? tool.resultText}
        cutFrom={whole ? 0 : (tool.truncated?.result ?? 0)}
        excerpt={tool.output && !whole ? t.card.excerpt : ""}
        copyLabel={failed ? t.copy.error : t.copy.output}
        empty={t.card.noOutput}
        {...(failed && { tone: "error" })}
      >
        {tool.output && !whole && (
          <button type="button" class="text-button" disabled={wanted} onClick={() => setLoading({ state: "yes" })}>
            {wanted ? t.card.loading : t.card.load}
          </button>
        )}
      </OutputBlock>
      {loading.state === "failed" && <p class="block-note">{t.card.loadFailed(loading.why)}</p>}
      {whole?.more && (
        <p class="block-note">
          {t.card.loadedPart(bytes(whole.bytes))}{" "}
          <a href={outputHref(run, tool.key)} target="_blank" rel="noopener">
            {t.card.openRaw}
          </a>
        </p>
      )}
    </>
  );
}
