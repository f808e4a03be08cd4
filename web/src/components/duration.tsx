import type { Tool } from "@ringside/client";
import { isOpen } from "@ringside/client";
import { duration, fullTime, ticking } from "../lib/format.ts";
import { now } from "../store/clock.ts";
import { useRun } from "./run-context.ts";

/** How long a call took, or has been running: the latter ticks once a second, and stops with the link. */
export function CardDuration({ tool }: { tool: Tool }) {
  const clock = useRun().clock;
  if (tool.startedAt === 0) return <span class="duration" />;
  if (isOpen(tool)) {
    return <span class={`duration num s-${tool.status}`}>{ticking(clock.at(now.value) - tool.startedAt)}</span>;
  }
  const ms = tool.durationMs || tool.endedAt - tool.startedAt;
  return (
    <span class="duration num" title={fullTime(tool.endedAt)}>
      {duration(ms)}
    </span>
  );
}
