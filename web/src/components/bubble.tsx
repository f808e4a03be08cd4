import type { Active, Message } from "@ringside/client";
import { fullTime } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { CopyButton } from "./copy-button.tsx";
import { Disclosure } from "./disclosure.tsx";
import { Markdown } from "./markdown.tsx";
import { useRun } from "./run-context.ts";
import { Icon } from "./sprite.tsx";

/** A message by its id: settled, or the one that is being written. */
export function Bubble({ id }: { id: string }) {
  const store = useRun();
  const message = store.message(id).value;
  if (message) return <Settled message={message} />;
  return <Writing id={id} />;
}

/** Reads the active message apart, so that settled bubbles do not follow its deltas. */
function Writing({ id }: { id: string }) {
  const active = useRun().active.value;
  return active?.id === id ? <Streaming active={active} /> : null;
}

function Streaming({ active }: { active: Active }) {
  return (
    <article class="bubble assistant streaming" aria-label={t.message.assistant}>
      {active.thinking && <Thinking id={active.id} text={active.thinking} live={active.text === ""} />}
      {active.text ? <Markdown text={active.text} /> : <span class="caret" aria-hidden="true" />}
    </article>
  );
}

function Settled({ message }: { message: Message }) {
  const { id, role, text, thinking, stopReason, error, truncated, redacted, at } = message;
  const user = role === "user";
  const stop = stopWord(stopReason);
  if (!text && !thinking && !error && !stop) return null;
  return (
    <article
      class={`bubble ${user ? "user" : "assistant"}`}
      aria-label={user ? t.message.user : t.message.assistant}
      title={fullTime(at)}
    >
      {user && <span class="role">{t.message.user}</span>}
      {thinking && <Thinking id={id} text={thinking} live={false} />}
      {text && (user ? <p class="plain">{text}</p> : <Markdown text={text} />)}
      {(stop || error) && (
        <p class={`stop ${stop && `is-${stopReason}`}`}>
          {stopReason === "length" && <Icon name="warning" />}
          {stop}
          {stop && error && " · "}
          {error}
        </p>
      )}
      {(truncated?.text || redacted > 0) && (
        <p class="marks">
          {truncated?.text ? <span>{t.message.truncated(truncated.text)}</span> : null}
          {redacted > 0 && <span>{t.card.redacted(redacted)}</span>}
        </p>
      )}
      {text && <CopyButton text={() => text} label={t.copy.message} />}
    </article>
  );
}

function stopWord(stopReason: string): string {
  const words: Readonly<Record<string, string>> = t.message.stop;
  return Object.hasOwn(words, stopReason) ? (words[stopReason] ?? "") : "";
}

/** What the model thought: closed until someone asks. */
function Thinking({ id, text, live }: { id: string; text: string; live: boolean }) {
  return (
    <Disclosure name={`thinking/${id}`} label={live ? `${t.message.thinking}…` : t.message.thinking} class="thinking">
      <p class="plain">{text}</p>
    </Disclosure>
  );
}
