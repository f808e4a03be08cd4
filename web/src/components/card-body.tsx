import type { Tool } from "@ringside/client";
import { isOpen } from "@ringside/client";
import { pretty } from "../lib/args.ts";
import { byteLength, bytes, shortTime } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { runHref } from "../lib/router.ts";
import { now } from "../store/clock.ts";
import { CardOutput } from "./card-output.tsx";
import { CopyButton } from "./copy-button.tsx";
import { Disclosure } from "./disclosure.tsx";
import { OutputBlock } from "./output-block.tsx";
import { useRun } from "./run-context.ts";

/** What a card shows when it is open. */
export function CardBody({ tool, id }: { tool: Tool; id: string }) {
  const settled = tool.status === "done" || tool.status === "error";
  return (
    <div class="card-body" id={id}>
      {settled && <CardOutput tool={tool} />}
      {!settled && tool.progressText !== "" && (
        <OutputBlock
          title={isOpen(tool) ? t.card.progress : t.card.output}
          text={tool.progressText}
          cutFrom={tool.truncated?.progress ?? 0}
          copyLabel={t.copy.output}
        />
      )}
      {tool.conflict && (
        <OutputBlock
          title={t.card.conflictTitle}
          text={tool.conflict.text}
          copyLabel={t.copy.output}
          empty={t.card.noOutput}
          {...(tool.conflict.isError && { tone: "error" })}
        />
      )}
      <Args tool={tool} />
      {tool.details !== "" && (
        <Disclosure name={`details/${tool.key}`} label={t.card.details}>
          <RawBlock text={tool.details} cutFrom={tool.truncated?.details ?? 0} label={t.copy.copy} />
        </Disclosure>
      )}
      <Attachments tool={tool} />
      <Foot tool={tool} />
    </div>
  );
}

function Args({ tool }: { tool: Tool }) {
  if (tool.rawArgs === "") return <p class="block-empty">{t.card.noArgs}</p>;
  return (
    <RawBlock
      title={t.card.args}
      note={t.card.argsRaw}
      text={tool.rawArgs}
      cutFrom={tool.truncated?.args ?? 0}
      label={t.copy.args}
    />
  );
}

interface RawProps {
  title?: string;
  note?: string;
  text: string;
  cutFrom: number;
  label: string;
}

/** JSON as it was sent, laid out where it is JSON. Copying gives the text itself. */
function RawBlock({ title, note, text, cutFrom, label }: RawProps) {
  const size = byteLength(text);
  return (
    <section class="block">
      <header class="block-head">
        {title && <h4>{title}</h4>}
        <span class="block-facts num">
          {[note, cutFrom > size && t.card.truncated(size, cutFrom)].filter(Boolean).join(" · ")}
        </span>
        <span class="grow" />
        <CopyButton text={() => text} label={label} />
      </header>
      <pre class="raw" tabIndex={0}>
        {pretty(text)}
      </pre>
    </section>
  );
}

function Attachments({ tool }: { tool: Tool }) {
  if (tool.attachments.length === 0) return null;
  return (
    <p class="block-note">
      {t.card.attachments}: {tool.attachments.map((a) => `${a.mimeType || "?"} ${bytes(a.bytes)}`).join(", ")}
    </p>
  );
}

function Foot({ tool }: { tool: Tool }) {
  const { run } = useRun();
  return (
    <footer class="card-foot">
      <code>{tool.id || tool.key}</code>
      {tool.label && tool.name && <span>{tool.name}</span>}
      {tool.late && <span>{t.card.late}</span>}
      {tool.redacted > 0 && <span>{t.card.redacted(tool.redacted)}</span>}
      {tool.endedAt > 0 && <span>{t.card.finished(shortTime(tool.endedAt, now.peek()))}</span>}
      <span class="grow" />
      <CopyButton text={() => new URL(runHref(run, tool.key), location.href).href} label={t.run.copyLink} icon="link" />
    </footer>
  );
}
