import { createContext } from "preact";
import { useContext } from "preact/hooks";

/** What parts of a transcript may do to its scrolling. */
export interface FollowControl {
  /** Someone reads here: what is in view must stay. */
  pause(): void;
  /** A link leads here: it is brought into view and stays there. */
  show(element: Element): void;
}

export const FollowContext = createContext<FollowControl>({ pause: () => undefined, show: () => undefined });

export function useFollow(): FollowControl {
  return useContext(FollowContext);
}
