/** More than that is not put on the page; the raw output is a link away. */
const mostBytes = 4 * 1024 * 1024;

export interface WholeOutput {
  readonly text: string;
  /** Whether more was kept than was loaded. */
  readonly more: boolean;
  readonly bytes: number;
}

export function outputHref(run: string, key: string): string {
  return `/api/runs/${encodeURIComponent(run)}/tools/${encodeURIComponent(key)}/output`;
}

/** Loads a kept output, up to a bound. Throws an Error whose message ends the sentence "could not be loaded: …". */
export async function loadOutput(run: string, key: string, gone: string, signal: AbortSignal): Promise<WholeOutput> {
  const response = await fetch(outputHref(run, key), { signal });
  if (response.status === 404) throw new Error(gone);
  if (!response.ok || !response.body) throw new Error(`${response.status} ${response.statusText}`.trim());
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), more: false, bytes };
    const room = mostBytes - bytes;
    bytes += Math.min(room, value.length);
    text += decoder.decode(value.subarray(0, room), { stream: true });
    if (value.length > room) {
      await reader.cancel();
      return { text, more: true, bytes };
    }
  }
}
