/** Writes projected events to a run through the hub's remote Writer: for streams that no recorded session has. */
export class RunWriter {
  #seq = 0;
  readonly #base: string;
  readonly #epoch: string;

  private constructor(base: string, claimed: { epoch: string; seq: number }) {
    this.#base = base;
    this.#epoch = claimed.epoch;
    this.#seq = claimed.seq;
  }

  static async claim(hub: string, run: string): Promise<RunWriter> {
    const base = `${hub}/api/runs/${run}/writer`;
    return new RunWriter(base, await request("POST", base, { owner: "e2e" }));
  }

  async send(...events: object[]): Promise<void> {
    const stamped = events.map((event) => ({ t: Date.now(), ...event }));
    await request("POST", `${this.#base}/${this.#epoch}/events`, { first: this.#seq + 1, events: stamped });
    this.#seq += events.length;
  }
}

async function request(method: string, url: string, body: object) {
  const response = await fetch(url, {
    method,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`);
  return text === "" ? {} : JSON.parse(text);
}
