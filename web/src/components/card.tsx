import { useEffect, useRef } from "preact/hooks";
import { fragment } from "../lib/router.ts";
import { CardBody } from "./card-body.tsx";
import { CardRow } from "./card-row.tsx";
import { useFollow } from "./follow-context.ts";
import { useRun } from "./run-context.ts";

interface Props {
  cardKey: string;
  depth: number;
  finish: string;
  inside: number;
}

/** One tool call. */
export function Card({ cardKey, depth, finish, inside }: Props) {
  const store = useRun();
  const follow = useFollow();
  const element = useRef<HTMLLIElement>(null);
  const tool = store.tool(cardKey).value;
  const open = store.disclosure(`card/${cardKey}`);
  const linked = fragment.value.get("c") === cardKey;
  useEffect(() => {
    if (!linked) return;
    open.value = true;
    if (element.current) follow.show(element.current);
  }, [linked, open, follow]);
  if (!tool) return null;
  const bodyId = `card-${cardKey}`;
  const toggle = () => {
    // Whoever opens a card reads it: it must not move away.
    if (!open.value) follow.pause();
    open.value = !open.value;
  };
  const classes = [
    "card",
    `is-${tool.status}`,
    open.value && "is-open",
    linked && "is-linked",
    depth > 0 && `depth-${Math.min(depth, 3)}`,
  ];
  return (
    <li class={classes.filter(Boolean).join(" ")} ref={element} data-key={cardKey}>
      <CardRow tool={tool} open={open.value} finish={finish} inside={inside} bodyId={bodyId} toggle={toggle} />
      {open.value && <CardBody tool={tool} id={bodyId} />}
    </li>
  );
}
