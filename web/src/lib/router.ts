import { signal } from "@preact/signals";

export type Route =
  | { readonly page: "runs" }
  | { readonly page: "run"; readonly run: string }
  | { readonly page: "none" };

const runPath = /^\/r\/([A-Za-z0-9_-]{1,64})\/?$/;

export function routeOf(path: string): Route {
  if (path === "/" || path === "/index.html") return { page: "runs" };
  const run = runPath.exec(path)?.[1];
  return run ? { page: "run", run } : { page: "none" };
}

export const route = signal<Route>({ page: "none" });
/** The part after #, as parameters: c=KEY names a card. */
export const fragment = signal(new URLSearchParams());

export function runHref(run: string, card?: string): string {
  return `/r/${run}${card === undefined ? "" : `#${new URLSearchParams({ c: card })}`}`;
}

function read(): void {
  const next = routeOf(location.pathname);
  if (JSON.stringify(next) !== JSON.stringify(route.value)) route.value = next;
  fragment.value = new URLSearchParams(location.hash.slice(1));
}

/** Follows the address, and keeps clicks on the page's own links inside the page. */
export function startRouter(): void {
  read();
  addEventListener("popstate", read);
  addEventListener("hashchange", read);
  document.addEventListener("click", (event) => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || link.target || link.origin !== location.origin || routeOf(link.pathname).page === "none") return;
    event.preventDefault();
    history.pushState(null, "", link.href);
    read();
  });
}
