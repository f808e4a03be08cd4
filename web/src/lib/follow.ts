/**
 * Follows the end of a scrolled element. It follows until someone scrolls up,
 * and again when they come back to the end. Its own scrolls are told from a
 * person's by remembering the value that was set.
 */
export class Follow {
  following = true;
  readonly #onChange: (following: boolean) => void;
  #element: HTMLElement | undefined;
  #set = -1;
  #last = 0;
  #detach: (() => void) | undefined;

  constructor(onChange: (following: boolean) => void) {
    this.#onChange = onChange;
  }

  /** Follows this element; content is what grows in it. Returns what ends it. */
  attach(element: HTMLElement, content: Element): () => void {
    this.#detach?.();
    this.#element = element;
    this.#last = element.scrollTop;
    const resized = new ResizeObserver(() => this.contentChanged());
    resized.observe(content);
    resized.observe(element);
    const stop = new AbortController();
    const options = { passive: true, signal: stop.signal };
    element.addEventListener("scroll", () => this.#scrolled(element), options);
    element.addEventListener("wheel", (event) => event.deltaY < 0 && this.pause(), options);
    let touched = 0;
    element.addEventListener(
      "touchstart",
      (event) => {
        touched = event.touches[0]?.clientY ?? 0;
      },
      options,
    );
    element.addEventListener(
      "touchmove",
      (event) => (event.touches[0]?.clientY ?? 0) > touched && this.pause(),
      options,
    );
    element.addEventListener("keydown", (event) => upwardKeys.has(event.key) && this.pause(), options);
    this.#detach = () => {
      resized.disconnect();
      stop.abort();
      if (this.#element === element) this.#element = undefined;
    };
    this.contentChanged();
    return this.#detach;
  }

  /** Keeps the end in view where that is followed. */
  contentChanged(): void {
    if (this.following) this.#toEnd();
  }

  /** Stops at once. Where everything fits there is nothing to stop. */
  pause(): void {
    const element = this.#element;
    if (element && element.scrollHeight > element.clientHeight) this.#change(false);
  }

  resume(): void {
    this.#change(true);
    this.#toEnd();
  }

  #toEnd(): void {
    const element = this.#element;
    if (!element) return;
    element.scrollTop = element.scrollHeight;
    this.#set = element.scrollTop;
    this.#last = this.#set;
  }

  #scrolled(element: HTMLElement): void {
    const top = element.scrollTop;
    const own = Math.abs(top - this.#set) < 1;
    const upward = top < this.#last - 1;
    this.#last = top;
    if (own) return;
    if (isAtEnd(element)) this.#change(true);
    else if (upward) this.#change(false);
  }

  #change(following: boolean): void {
    if (this.following === following) return;
    this.following = following;
    this.#onChange(following);
  }
}

const upwardKeys: ReadonlySet<string> = new Set(["ArrowUp", "PageUp", "Home"]);

function isAtEnd(element: HTMLElement): boolean {
  return element.scrollHeight - element.clientHeight - element.scrollTop < 4;
}
