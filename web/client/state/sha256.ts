/**
 * SHA-256 of a text's UTF-8, in hex (FIPS 180-4). crypto.subtle exists only in
 * secure contexts, and a hub on a plain-http LAN address is none.
 */
export function sha256(text: string): string {
  const message = padded(new TextEncoder().encode(text));
  const state = Uint32Array.from(initial);
  const words = new Uint32Array(64);
  const blocks = new DataView(message.buffer);
  for (let offset = 0; offset < message.length; offset += 64) {
    for (let i = 0; i < 16; i++) words[i] = blocks.getUint32(offset + i * 4);
    compress(state, words);
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}

/** The message, a one bit, zeros, and the length in bits: a multiple of 64 bytes. */
function padded(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  out.set(bytes);
  out[bytes.length] = 0x80;
  const view = new DataView(out.buffer);
  view.setUint32(out.length - 8, Math.floor(bytes.length / 0x2000_0000));
  view.setUint32(out.length - 4, bytes.length << 3);
  return out;
}

/** The first 32 bits of the fractional part. */
function fraction(x: number): number {
  return ((x - Math.floor(x)) * 0x1_0000_0000) | 0;
}

const primes: number[] = [];
for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p !== 0)) primes.push(n);
const roundConstants = Int32Array.from(primes, (p) => fraction(Math.cbrt(p)));
const initial = Int32Array.from(primes.slice(0, 8), (p) => fraction(Math.sqrt(p)));

function rotate(x: number, n: number): number {
  return (x >>> n) | (x << (32 - n));
}

function compress(state: Uint32Array, w: Uint32Array): void {
  const at = (list: Uint32Array | Int32Array, i: number) => list[i] ?? 0;
  for (let i = 16; i < 64; i++) {
    const w15 = at(w, i - 15);
    const w2 = at(w, i - 2);
    const s0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >>> 3);
    const s1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >>> 10);
    w[i] = at(w, i - 16) + s0 + at(w, i - 7) + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + at(roundConstants, i) + at(w, i)) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => {
    state[i] = at(state, i) + word;
  });
}
