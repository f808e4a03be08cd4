/** Why a hub ends a connection. The mirror of the hub's own list; a test compares them. */
export const closeCode = {
  normal: 1000,
  goingAway: 1001,
  protocol: 1002,
  unsupported: 1003,
  /** Never in a frame: the connection ended without one. */
  lost: 1006,
  notUtf8: 1007,
  tooBig: 1009,
  internal: 1011,
  /** The hub restarts or is taken out of service. */
  draining: 1012,
  badMessage: 4400,
  /** The token has expired or was revoked. */
  token: 4401,
  forbidden: 4403,
  noHello: 4408,
  limit: 4429,
  tooSlow: 4430,
} as const;

/** After these nothing would be different. */
const final: ReadonlySet<number> = new Set([
  closeCode.normal,
  closeCode.protocol,
  closeCode.unsupported,
  closeCode.notUtf8,
  closeCode.tooBig,
  closeCode.badMessage,
  closeCode.token,
  closeCode.forbidden,
  closeCode.noHello,
]);

/** Whether a client connects again by itself. After a code that is not known, such as a proxy's, it does. */
export function reconnects(code: number): boolean {
  return !final.has(code);
}
