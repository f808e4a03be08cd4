/** Where the shown place stands, as a part of the view's height from its top. */
const shownAt = 0.2;

/**
 * Follows the end of a scrolled element. It follows until someone scrolls up,
 * and again when they come back to the end. Its own scrolls are told from a
 * person's by remembering the value that was set. Or it shows one place, and
 * keeps that where it is, whatever happens to the layout, until someone acts.
 */
export class Follow {
  following = true;
  readonly #onChange: (following: boolean) => void;
  #element: HTMLElement | undefined;
  #shown: Element | undefined;
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
    for (const acted of ["wheel", "touchmove", "keydown", "pointerdown"]) {
      element.addEventListener(acted, () => this.#release(), options);
    }
    element.addEventListener("keydown", (event) => upwardKeys.has(event.key) && this.pause(), options);
    this.#detach = () => {
      resized.disconnect();
      stop.abort();
      if (this.#element === element) this.#element = undefined;
    };
    this.contentChanged();
    return this.#detach;
  }

  /** Keeps the end in view where that is followed, or the place that is shown. */
  contentChanged(): void {
    if (this.following) this.#toEnd();
    else this.#toShown();
  }

  /** Brings the top of that element into view and stops following, also before there is anything to scroll. */
  show(element: Element): void {
    this.#shown = element;
    this.#change(false);
    this.#toShown();
  }

  /** Stops at once. Where everything fits there is nothing to stop. */
  pause(): void {
    const element = this.#element;
    if (element && element.scrollHeight > element.clientHeight) this.#change(false);
  }

  resume(): void {
    this.#release();
    this.#change(true);
    this.#toEnd();
  }

  #release(): void {
    this.#shown = undefined;
  }

  #toEnd(): void {
    const element = this.#element;
    if (element) this.#scrollTo(element, element.scrollHeight);
  }

  /** Scrolls this element alone: scrollIntoView would also scroll the document. */
  #toShown(): void {
    const element = this.#element;
    if (!element || !this.#shown?.isConnected) return;
    const below = this.#shown.getBoundingClientRect().top - element.getBoundingClientRect().top;
    this.#scrollTo(element, element.scrollTop + below - element.clientHeight * shownAt);
  }

  #scrollTo(element: HTMLElement, top: number): void {
    element.scrollTop = top;
    this.#set = element.scrollTop;
    this.#last = this.#set;
  }

  #scrolled(element: HTMLElement): void {
    const top = element.scrollTop;
    const own = Math.abs(top - this.#set) < 1;
    const upward = top < this.#last - 1;
    this.#last = top;
    // The browser's own corrections are no one's wish while a place is shown.
    if (own || this.#shown) return;
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
