const firstMs = 500;
const longestMs = 15_000;

/**
 * How long to wait before attempt n (1, 2, …): full jitter, so that a thousand
 * pages that lost the same hub do not come back at the same instant. A hub that
 * said when to come back is not asked earlier.
 */
export function backoffMs(attempt: number, retryAfterMs: number, random: () => number): number {
  const ceiling = Math.min(longestMs, firstMs * 2 ** Math.min(attempt - 1, 10));
  return Math.round(Math.max(0, retryAfterMs) + random() * ceiling);
}
