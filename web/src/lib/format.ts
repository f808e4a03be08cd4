/** Numbers and times for people. Digits are grouped by thin spaces. */

const thinSpace = "\u2009";

export function grouped(n: number): string {
  return String(Math.trunc(n)).replace(/\B(?=(\d{3})+$)/g, thinSpace);
}

/** "0.4 s", "37.9 s", then "2:41" and "1:02:41". */
export function duration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)}${thinSpace}s`;
  return clock(ms);
}

/** Running times tick whole seconds: "7 s", then "2:41". */
export function ticking(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  return seconds < 60 ? `${seconds}${thinSpace}s` : clock(ms);
}

/** "00:07", "02:41", "1:02:41". */
export function stopwatch(ms: number): string {
  return clock(ms).padStart(5, "0");
}

function clock(ms: number): string {
  const all = Math.floor(Math.max(0, ms) / 1000 + 0.05);
  const two = (n: number) => String(n).padStart(2, "0");
  const [hours, minutes, seconds] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

export function bytes(n: number): string {
  if (n < 1000) return `${n}${thinSpace}B`;
  const units = ["kB", "MB", "GB"];
  let value = n / 1000;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value < 10 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)}${thinSpace}${units[unit]}`;
}

/** The local time of day, "14:04:52". */
export function timeOfDay(ms: number): string {
  return new Date(ms).toLocaleTimeString("en-GB", { hour12: false });
}

/** The full local date and time, for tooltips. */
export function fullTime(ms: number): string {
  return ms > 0 ? `${dayOf(ms)} ${timeOfDay(ms)}` : "";
}

/** The time of day, with the date where that is not today. */
export function shortTime(ms: number, now: number): string {
  if (ms <= 0) return "";
  return new Date(ms).toDateString() === new Date(now).toDateString() ? timeOfDay(ms) : fullTime(ms);
}

/** "2026-12-01", the local day: the same for everyone who reads it. */
function dayOf(ms: number): string {
  const date = new Date(ms);
  const two = (n: number) => String(n).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** How many bytes a text has in UTF-8. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** The first line that says anything; one that ends in a colon says it with the next. */
export function headline(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  const [first = "", next = ""] = lines.filter((line) => line !== "");
  return first.endsWith(":") && next !== "" ? `${first} ${next}` : first;
}
