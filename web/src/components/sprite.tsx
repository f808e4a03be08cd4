import type { ToolStatus } from "@ringside/client";
import type { JSX } from "preact";

/** Every picture of the page: 16 px, 1.75 px stroke, drawn in the colour of the text around it. */
const pictures = {
  composing: (
    <>
      <rect x="2.4" y="2.4" width="11.2" height="11.2" rx="2.5" stroke-dasharray="2.6 1.9" />
      <path d="M5.4 8h.01M8 8h.01M10.6 8h.01" stroke-linecap="round" />
    </>
  ),
  preparing: <circle cx="8" cy="8" r="6" stroke-dasharray="3 1.71" />,
  running: (
    <>
      <circle cx="8" cy="8" r="6" class="faint" />
      <path d="M8 2a6 6 0 1 1-6 6" class="turned" stroke-linecap="round" />
      <circle cx="8" cy="8" r="1.5" class="filled" />
    </>
  ),
  done: (
    <>
      <circle cx="8" cy="8" r="6.2" />
      <path d="m5.3 8.2 1.9 1.9 3.6-3.9" stroke-linecap="round" stroke-linejoin="round" />
    </>
  ),
  error: (
    <>
      <path d="M5.5 1.9h5L14.1 5.5v5l-3.6 3.6h-5L1.9 10.5v-5z" stroke-linejoin="round" />
      <path d="M8 4.9v3.5M8 11h.01" stroke-linecap="round" />
    </>
  ),
  lost: (
    <>
      <circle cx="8" cy="8" r="6.2" stroke-dasharray="8 1.74" />
      <path d="M6.2 6.5a1.8 1.8 0 1 1 2.5 1.7c-.5.2-.7.5-.7 1M8 11.4h.01" stroke-linecap="round" />
    </>
  ),
  skipped: (
    <>
      <circle cx="8" cy="8" r="6.2" />
      <path d="m4 12 8-8" />
    </>
  ),
  idle: (
    <>
      <circle cx="8" cy="8" r="6.2" />
      <path d="M5.2 8h5.6" stroke-linecap="round" />
    </>
  ),
  settling: (
    <>
      <circle cx="8" cy="8" r="6.2" />
      <path d="M8 4.6V8l2.2 1.6" stroke-linecap="round" stroke-linejoin="round" />
    </>
  ),
  warning: (
    <>
      <path d="M8 2 14.4 13.2H1.6z" stroke-linejoin="round" />
      <path d="M8 6.4v3M8 11.4h.01" stroke-linecap="round" />
    </>
  ),
  chevron: <path d="m6 3.5 4.5 4.5L6 12.5" stroke-linecap="round" stroke-linejoin="round" />,
  down: <path d="M8 2.5v11M3.5 9 8 13.5 12.5 9" stroke-linecap="round" stroke-linejoin="round" />,
  copy: (
    <>
      <rect x="5.6" y="5.6" width="8" height="8" rx="1.6" />
      <path d="M10.4 5.4V4A1.6 1.6 0 0 0 8.8 2.4H4A1.6 1.6 0 0 0 2.4 4v4.8A1.6 1.6 0 0 0 4 10.4h1.4" />
    </>
  ),
  tick: <path d="m3 8.6 3.3 3.3L13 4.8" stroke-linecap="round" stroke-linejoin="round" />,
  link: (
    <path
      d="M6.6 9.4a2.7 2.7 0 0 0 3.9 0l2.3-2.3a2.75 2.75 0 0 0-3.9-3.9l-.8.8M9.4 6.6a2.7 2.7 0 0 0-3.9 0L3.2 8.9a2.75 2.75 0 0 0 3.9 3.9l.8-.8"
      stroke-linecap="round"
    />
  ),
  close: <path d="m3.6 3.6 8.8 8.8M12.4 3.6l-8.8 8.8" stroke-linecap="round" />,
  sun: (
    <>
      <circle cx="8" cy="8" r="2.8" />
      <path
        d="M8 1.6v1.2M8 13.2v1.2M1.6 8h1.2M13.2 8h1.2M3.5 3.5l.8.8M11.7 11.7l.8.8M3.5 12.5l.8-.8M11.7 4.3l.8-.8"
        stroke-linecap="round"
      />
    </>
  ),
  moon: <path d="M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z" stroke-linejoin="round" />,
  system: (
    <>
      <circle cx="8" cy="8" r="5.6" />
      <path d="M8 2.4a5.6 5.6 0 0 1 0 11.2z" class="filled" />
    </>
  ),
  brand: <path d="M2.5 4h8M5 8h8.5M2.5 12h5" stroke-width="2.6" stroke-linecap="round" />,
} satisfies Record<ToolStatus, JSX.Element> & Record<string, JSX.Element>;

export type Picture = keyof typeof pictures;

/** The sheet that the icons refer to; once on the page. */
export function Sprite() {
  return (
    <svg class="sprite" aria-hidden="true">
      {Object.entries(pictures).map(([name, content]) => (
        <symbol key={name} id={`i-${name}`} viewBox="0 0 16 16">
          {content}
        </symbol>
      ))}
    </svg>
  );
}

/** A picture beside a word or a label: it says nothing by itself. */
export function Icon({ name, class: className = "" }: { name: Picture; class?: string }) {
  return (
    <svg class={`icon ${className}`} aria-hidden="true">
      <use href={`#i-${name}`} />
    </svg>
  );
}
