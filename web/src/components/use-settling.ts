import { effect } from "@preact/signals";
import type { Tool } from "@ringside/client";
import { useEffect, useReducer, useRef } from "preact/hooks";
import { useRun } from "./run-context.ts";

/**
 * The cards of these keys, for a component that shows their states: it is drawn
 * anew when one starts, settles or comes in conflict, not with every progress.
 */
export function useSettling(keys: readonly string[]): readonly Tool[] {
  const store = useRun();
  const [, redraw] = useReducer((n: number, _: undefined) => n + 1, 0);
  const tools = keys.flatMap((key) => store.tool(key).peek() ?? []);
  const drawn = useRef("");
  drawn.current = shapes(tools);
  const names = keys.join("\n");
  // names stands for keys, which are a new list each time.
  useEffect(
    () =>
      effect(() => {
        const now = shapes(keys.flatMap((key) => store.tool(key).value ?? []));
        if (now !== drawn.current) redraw(undefined);
      }),
    [store, names],
  );
  return tools;
}

function shapes(tools: readonly Tool[]): string {
  return tools
    .map((tool) => `${tool.key} ${tool.status} ${tool.startedAt} ${tool.endedAt} ${!!tool.conflict}`)
    .join("\n");
}
