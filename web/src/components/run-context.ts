import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { RunStore } from "../store/run-store.ts";

/** The run that a component draws a part of. */
export const RunContext = createContext<RunStore | undefined>(undefined);

export function useRun(): RunStore {
  const store = useContext(RunContext);
  if (!store) throw new Error("drawn outside of a run");
  return store;
}
