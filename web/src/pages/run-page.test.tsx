// @vitest-environment happy-dom
import { fireEvent, screen, within } from "@testing-library/preact";
import { afterEach, describe, expect, test, vi } from "vitest";
import { leavePage, TestPage } from "../../test/fixtures/page.tsx";

afterEach(leavePage);

const turn = { type: "turn_start" };
const start = (key: string, more: object = {}) => ({
  type: "tool_start",
  key,
  name: `tool-${key}`,
  args: '{"a":1}',
  ...more,
});
const row = (key: string) => {
  const element = document.querySelector<HTMLElement>(`[data-key="${key}"]`);
  if (!element) throw new Error(`no card ${key}`);
  return element;
};
const open = (key: string) => fireEvent.click(within(row(key)).getByRole("button", { name: /^Show details/ }));

async function joined(...events: object[]): Promise<TestPage> {
  const page = new TestPage();
  await page.join();
  await page.events({ type: "agent_start" }, turn, ...events);
  return page;
}

describe("card states, each by its own word", () => {
  test.each<[string, object[], RegExp[]]>([
    [
      "composing",
      [{ type: "call_delta", key: "c1", name: "bash", delta: '{"comm' }],
      [/composing, the model is still writing the call/, /\{"comm/],
    ],
    ["preparing", [start("c1")], [/preparing/]],
    [
      "preparing for long",
      [start("c1", { t: Date.now() - 5000 }), { type: "notice", text: "x" }],
      [/preparing, no progress reported/],
    ],
    [
      "running with a total",
      [start("c1"), { type: "tool_update", key: "c1", text: "", done: 412, total: 664 }],
      [/412 of 664/],
    ],
    [
      "running with words",
      [start("c1"), { type: "tool_update", key: "c1", text: "a\nscanning, 128 hits\n" }],
      [/scanning, 128 hits/],
    ],
    ["done", [start("c1"), { type: "tool_end", key: "c1", text: "ok", durationMs: 4100 }], [/done/, /4\.1\s*s/]],
    [
      "error",
      [start("c1"), { type: "tool_end", key: "c1", text: "No such file\nmore", isError: true }],
      [/failed/, /No such file/],
    ],
    ["lost with its turn", [start("c1"), { type: "turn_end" }], [/lost: the turn ended at .* without its result/]],
    [
      "lost with its worker",
      [start("c1"), { type: "worker", state: "lost" }],
      [/lost: the worker stopped answering at \d\d:\d\d:\d\d/],
    ],
    [
      "skipped",
      [{ type: "call_delta", key: "c1", name: "x", delta: "" }, { type: "turn_end" }],
      [/skipped: written by the model, never started/],
    ],
    [
      "late",
      [start("c1"), { type: "turn_end" }, { type: "tool_end", key: "c1", text: "ok" }],
      [/arrived late, after the turn had ended/],
    ],
    [
      "conflict",
      [start("c1"), { type: "tool_end", key: "c1", text: "a" }, { type: "tool_end", key: "c1", text: "b" }],
      [/a second, different result exists/],
    ],
  ])("%s", async (_, events, words) => {
    await joined(...events);
    for (const word of words) expect(row("c1").textContent).toMatch(word);
  });

  test("a running tool without a total has no bar", async () => {
    await joined(start("c1"), { type: "tool_update", key: "c1", text: "x" });
    expect(within(row("c1")).queryByRole("progressbar")).toBeNull();
  });
});

test("a call that is written says so, and only then", async () => {
  const call = (key: string) => ({ type: "call_delta", key, name: key, delta: "{}" });
  const page = await joined({ type: "message_start", id: "m1", role: "assistant" }, call("c1"), call("c2"));
  const written = /written, not started/;
  for (const key of ["c1", "c2"]) expect(row(key).textContent).toMatch(/the model is still writing the call/);
  await page.events({ type: "message_end", id: "m1", role: "assistant", text: "Go." }, start("c1"));
  expect(row("c1").textContent).toMatch(/preparing/);
  expect(row("c2").textContent).toMatch(written);
  expect(row("c2").textContent).not.toMatch(/composing|still writing/);
  await page.events(start("c2"), { type: "turn_end" }, turn, call("c3"));
  expect(row("c3").textContent).toMatch(/still writing/);
  await page.join(
    {
      runStatus: "running",
      turn: 1,
      messages: [{ id: "m1", role: "assistant", turn: 1, at: 5, text: "Go." }],
      tools: { c1: { key: "c1", status: "composing", turn: 1, name: "c1" } },
      timeline: [
        { kind: "message", key: "m1" },
        { kind: "tool", key: "c1" },
      ],
    },
    "asked",
    99,
  );
  expect(row("c1").textContent).toMatch(written);
});

test("cards stand in source order, whatever finishes first", async () => {
  await joined(
    start("c1"),
    start("c2"),
    start("c3"),
    { type: "tool_end", key: "c3", t: 50 },
    { type: "tool_end", key: "c1", t: 60 },
  );
  const keys = [...document.querySelectorAll("[data-key]")].map((each) => each.getAttribute("data-key"));
  expect(keys).toEqual(["c1", "c2", "c3"]);
  expect(row("c3").textContent).toContain("1st to finish");
  expect(row("c1").textContent).toContain("2nd");
  expect(row("c2").textContent).not.toContain("to finish");
});

test("an open card stays open over updates, its end and a snapshot", async () => {
  const page = await joined(start("c1"), { type: "tool_update", key: "c1", text: "one" });
  open("c1");
  expect(row("c1").textContent).toContain("raw, not validated");
  await page.events({ type: "tool_update", key: "c1", append: " two" });
  expect(row("c1").textContent).toContain("one two");
  await page.events({ type: "tool_end", key: "c1", text: "the result" }, { type: "turn_end" }, turn);
  expect(row("c1").textContent).toContain("the result");
  await page.join(
    {
      runStatus: "running",
      turn: 1,
      tools: { c1: { key: "c1", status: "done", turn: 1, resultText: "again" } },
      timeline: [{ kind: "tool", key: "c1" }],
    },
    "slow",
    99,
  );
  expect(row("c1").textContent).toContain("again");
});

test("long output shows its ends, and the rest on request", async () => {
  const text = Array.from({ length: 1000 }, (_, i) => `line ${i + 1}`).join("\n");
  await joined(start("c1"), { type: "tool_end", key: "c1", text });
  open("c1");
  const body = within(row("c1"));
  expect(body.getByText("797 lines hidden")).toBeTruthy();
  expect(body.queryByText(/^line 500$/)).toBeNull();
  fireEvent.click(body.getByRole("button", { name: "Show 200 more" }));
  expect(body.getByText("597 lines hidden")).toBeTruthy();
  fireEvent.click(body.getByRole("button", { name: "Show all" }));
  expect(body.queryByText(/lines hidden/)).toBeNull();
  expect(body.getByText(/^line 500$/)).toBeTruthy();
});

test("the whole output is loaded when someone asks, and said to be gone where it is", async () => {
  const fetched = vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response("all of it\n"));
  await joined(
    start("c/1"),
    { type: "tool_end", key: "c/1", text: "head…tail", output: true, truncated: { result: 412_000 } },
    start("c2"),
    { type: "tool_end", key: "c2", text: "head", output: true },
  );
  open("c/1");
  fireEvent.click(within(row("c/1")).getByRole("button", { name: "Load the whole output" }));
  expect(await within(row("c/1")).findByText("all of it")).toBeTruthy();
  expect(fetched).toHaveBeenCalledWith("/api/runs/demo/tools/c%2F1/output", expect.anything());
  fetched.mockResolvedValue(new Response("{}", { status: 404 }));
  open("c2");
  fireEvent.click(within(row("c2")).getByRole("button", { name: "Load the whole output" }));
  expect(await within(row("c2")).findByText(/could not be loaded: it is no longer kept/)).toBeTruthy();
});

test("an excerpt claims neither a size, nor lines, nor their numbers; the whole output has them all", async () => {
  const excerpt = `58001\n58002\n[… 3906 bytes hidden …]\n${Array.from({ length: 1300 }, (_, i) => 58700 + i).join("\n")}`;
  const whole = Array.from({ length: 60_000 }, (_, i) => i + 1).join("\n");
  vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response(whole));
  await joined(start("c1"), {
    type: "tool_end",
    key: "c1",
    text: excerpt,
    output: true,
    truncated: { result: 12_000 },
  });
  open("c1");
  const output = () => row("c1").querySelector(".block")?.textContent ?? "";
  const numbered = () => row("c1").querySelector(".lines:not(.is-unnumbered)");
  expect(output()).toContain("an excerpt; the whole output can be loaded");
  expect(output()).toContain("1\u2009100 lines of the excerpt hidden");
  expect(output()).not.toMatch(/kB|Show all|\d lines ·/);
  expect(numbered()).toBeNull();
  fireEvent.click(within(row("c1")).getByRole("button", { name: "Load the whole output" }));
  await within(row("c1")).findByText(/60\s*000 lines · 349\s*kB/);
  expect(output()).not.toContain("excerpt");
  expect(numbered()?.querySelector("li")?.textContent).toBe("1\n");
});

test("what was cut and not kept says how much there was", async () => {
  await joined(start("c1"), { type: "tool_end", key: "c1", text: "a\nb", truncated: { result: 12_000 } });
  open("c1");
  expect(row("c1").textContent).toMatch(/showing 3\s*B of 12\s*kB/);
  expect(row("c1").querySelector(".lines:not(.is-unnumbered)")).toBeNull();
});

test("what a model or a tool writes is text, never markup", async () => {
  const evil = '<img src=x onerror="alert(1)"><script>alert(2)</script>';
  await joined(
    {
      type: "message_end",
      id: "m1",
      role: "assistant",
      text: `**hi** ${evil} [x](javascript:alert(3)) [y](https://example.org)`,
    },
    start("c1", { name: evil, args: evil }),
    { type: "tool_end", key: "c1", text: evil },
    { type: "notice", kind: evil, text: evil },
    { type: "queue", steering: [evil] },
  );
  open("c1");
  expect(document.querySelectorAll("img, script")).toHaveLength(0);
  expect(screen.getByText("hi").tagName).toBe("STRONG");
  expect(screen.getByRole("link", { name: "y" }).getAttribute("href")).toBe("https://example.org/");
  expect(screen.queryByRole("link", { name: "x" })).toBeNull();
});

test("a message streams, and its end is the truth", async () => {
  const page = await joined(
    { type: "message_start", id: "m1", role: "assistant" },
    { type: "text_delta", id: "m1", delta: "Let me lo" },
  );
  expect(screen.getByText("Let me lo")).toBeTruthy();
  await page.events({
    type: "message_end",
    id: "m1",
    role: "assistant",
    text: "Let me look.",
    thinking: "hm",
    stopReason: "length",
  });
  expect(screen.getByText("Let me look.")).toBeTruthy();
  expect(screen.getByText(/cut off: the length limit was reached/)).toBeTruthy();
  expect(screen.queryByText("hm")).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "Thinking" }));
  expect(screen.getByText("hm")).toBeTruthy();
});

test("past turns fold their done cards, and never what failed", async () => {
  const keys = ["c1", "c2", "c3", "c4", "c5", "c6"];
  const page = await joined(...keys.map((key) => start(key)));
  await page.events(
    ...keys.map((key) => ({ type: "tool_end", key, text: "x", isError: key === "c6" })),
    { type: "turn_end" },
    turn,
  );
  expect(document.querySelectorAll("[data-key]")).toHaveLength(4);
  expect(row("c6").textContent).toContain("failed");
  fireEvent.click(screen.getByRole("button", { name: "2 more done" }));
  expect(document.querySelectorAll("[data-key]")).toHaveLength(6);
});

test("calls inside another are closed, unless they failed", async () => {
  const page = await joined(start("c1"), start("c2", { parent: "c1" }), start("c3", { parent: "c1" }));
  expect(document.querySelectorAll("[data-key]")).toHaveLength(1);
  expect(row("c1").textContent).toContain("2 inside");
  await page.events({ type: "tool_end", key: "c3", text: "bad", isError: true });
  expect(document.querySelectorAll("[data-key]")).toHaveLength(2);
});

describe("the run as a whole", () => {
  test("a failed tool is a card, a failed run is an alert", async () => {
    const page = await joined(start("c1"), { type: "tool_end", key: "c1", text: "x", isError: true });
    expect(screen.queryByRole("alert")).toBeNull();
    await page.events(
      { type: "message_end", id: "m1", role: "assistant", stopReason: "error", error: "provider returned 529" },
      { type: "agent_end" },
    );
    expect(screen.getByText(/waiting for the host's listeners/)).toBeTruthy();
    await page.events({ type: "agent_idle" });
    expect(screen.getByRole("alert").textContent).toMatch(
      /Run stopped: provider returned 529.*1 tool error before that was handled/,
    );
    expect(screen.getByText("Idle · failed")).toBeTruthy();
  });

  test.each([
    ["finished", { stopReason: "stop" }, {}, "The last prompt finished."],
    ["cut off", { stopReason: "length" }, {}, /the length limit cut off/],
    ["aborted", { stopReason: "aborted" }, {}, "The last prompt was aborted."],
    ["aborted", { stopReason: "stop" }, { aborted: true }, "The last prompt was aborted."],
    ["failed", { stopReason: "error" }, {}, "The last prompt ended with an error."],
  ])("a prompt that ended is said to be %s", async (word, stop, idle, sentence) => {
    const page = await joined(
      { type: "message_end", id: "m1", role: "assistant", text: "So.", ...stop },
      { type: "turn_end", ...stop },
      { type: "agent_end" },
    );
    expect(screen.queryByText(/^Idle/)).toBeNull();
    await page.events({ type: "agent_idle", ...idle });
    expect(screen.getByText(`Idle · ${word}`)).toBeTruthy();
    await page.events({ type: "worker", state: "gone" });
    expect(screen.getByText("The worker has left.").parentElement?.textContent).toMatch(sentence);
  });

  test("a prompt whose end was never heard of is not said to have finished", async () => {
    const page = await joined();
    await page.events({ type: "worker", state: "gone" });
    expect(screen.getByText(/How the last prompt ended is not known/)).toBeTruthy();
    expect(screen.getByText("Idle")).toBeTruthy();
  });

  test("a worker that is stale, lost or gone is said in words", async () => {
    const page = await joined();
    await page.status({ worker: { heardMs: 9_000, stale: true } });
    expect(screen.getByText(/The worker was last heard 9\s*s ago/)).toBeTruthy();
    await page.status({ worker: { heardMs: 100 } });
    expect(screen.queryByText(/last heard/)).toBeNull();
    await page.events({ type: "worker", state: "lost" });
    expect(screen.getByText(/The worker stopped answering/)).toBeTruthy();
    await page.events({ type: "worker", state: "gone" });
    expect(screen.getByText("The worker has left.")).toBeTruthy();
  });

  test("messages that wait, who watches, and merged updates", async () => {
    const page = await joined({ type: "queue", steering: ["a"], followUp: ["b"] });
    expect(screen.getByText("2 messages waiting")).toBeTruthy();
    await page.say({
      type: "presence",
      run: "demo",
      watching: 7,
      people: [
        { observer: "1", name: "Mia Krüger" },
        { observer: "2", name: "李雷" },
        { observer: "3", name: "Viewer 23" },
      ],
    });
    expect(screen.getByText("7 people are watching")).toBeTruthy();
    expect(screen.getByText("MK")).toBeTruthy();
    expect(screen.getByText("李")).toBeTruthy();
    expect(screen.getByText("23")).toBeTruthy();
    expect(screen.getByText("+4")).toBeTruthy();
    await page.status({ delivery: { step: "merged", behind: 300 } });
    expect(screen.getByText("You are receiving merged updates.")).toBeTruthy();
    await page.status({ delivery: { step: "snapshot", behind: 900 } });
    expect(screen.queryByText("You are receiving merged updates.")).toBeNull();
    expect(screen.getByText("You are receiving snapshots: your connection is too slow for every update.")).toBeTruthy();
    await page.status({ delivery: { step: "every" } });
    expect(screen.queryByText(/You are receiving/)).toBeNull();
  });

  test("an empty run, and one that nobody knows", async () => {
    const page = new TestPage();
    expect(screen.getByText("Connecting to the hub.")).toBeTruthy();
    await page.say({ type: "error", re: "watch", run: "demo", code: "unknown_run", message: "no such run" });
    expect(screen.getByText("No run with this id")).toBeTruthy();
    await page.join();
    expect(screen.getByText("No events yet")).toBeTruthy();
  });

  test("a hub that cannot serve it now is quoted", async () => {
    const page = new TestPage();
    await page.say({
      type: "error",
      re: "watch",
      run: "demo",
      code: "store_down",
      message: "the hub cannot reach its store",
    });
    expect(screen.getByText(/the hub cannot reach its store/)).toBeTruthy();
    expect(screen.queryByText("No run with this id")).toBeNull();
  });
});

test("a new watch starts with every update, whatever the last one received", async () => {
  const page = await joined();
  const slow = { delivery: { step: "snapshot", behind: 900 } };
  await page.status(slow);
  await page.join({ runStatus: "running" }, "slow", 900);
  expect(screen.getByText(/You are receiving snapshots/)).toBeTruthy();
  await page.act(() => page.hub.latest.handlers.closed(1006, ""));
  await page.act(() => page.app.client.connection.retryNow());
  await page.act(() => page.hub.welcome(600_000));
  expect(screen.queryByText(/You are receiving/)).toBeNull();
  await page.status(slow);
  await page.join({ runStatus: "running" }, "asked", 950);
  expect(screen.queryByText(/You are receiving/)).toBeNull();
});

describe("a lost link", () => {
  test("is said with its time, its attempt and a way to retry, and the run stays", async () => {
    const page = await joined(start("c1"));
    await page.act(() => page.hub.latest.handlers.closed(1006, ""));
    expect(screen.getByText(/Reconnecting in \d+ s/)).toBeTruthy();
    expect(screen.getByText(/Showing what was known at \d\d:\d\d:\d\d, .* ago\. Attempt 2\./)).toBeTruthy();
    expect(row("c1")).toBeTruthy();
    const sockets = page.hub.sockets.length;
    await page.act(() => fireEvent.click(screen.getByRole("button", { name: "Retry now" })));
    expect(page.hub.sockets.length).toBe(sockets + 1);
    await page.act(() => page.hub.welcome(600_000));
    expect(screen.queryByText(/Reconnecting/)).toBeNull();
    expect(page.hub.latest.sent.at(-1)).toMatchObject({ type: "watch", from: { epoch: "e1", seq: 13 } });
    await page.events({ type: "tool_end", key: "c1", text: "ok" });
    expect(screen.queryByText("Back online")).toBeNull();
  });

  test("a gap that a snapshot replaced is said, and for which time", async () => {
    const page = await joined(start("c1"));
    await page.act(() => page.hub.latest.handlers.closed(1006, ""));
    await page.act(() => page.app.client.connection.retryNow());
    await page.act(() => page.hub.welcome(600_000));
    await page.join({ runStatus: "idle" }, "unknown_position", 3318);
    expect(screen.getByText("Back online")).toBeTruthy();
    expect(
      screen.getByText(
        /fresh snapshot at event 3\s*318\. Progress between \d\d:\d\d:\d\d and \d\d:\d\d:\d\d was not received/,
      ),
    ).toBeTruthy();
    await page.act(() => fireEvent.click(screen.getByRole("button", { name: "Dismiss" })));
    expect(screen.queryByText("Back online")).toBeNull();
  });

  test.each([
    [4401, "", /This link has expired/],
    [4403, "", /You may not watch this/],
    [4400, "no hello", /The hub ended the connection: no hello/],
  ])("code %i is not tried again by itself", async (code, reason, words) => {
    const page = await joined();
    await page.act(() => page.hub.latest.handlers.closed(code, reason));
    expect(screen.getByText(words)).toBeTruthy();
    expect(screen.getByRole("button", { name: "Retry now" })).toBeTruthy();
  });

  test("a view that was not the hub's is replaced, and that is said", async () => {
    const page = await joined();
    await page.say({ type: "check", run: "demo", epoch: "e1", seq: 12, hash: "0".repeat(64) });
    await vi.waitFor(() => expect(page.hub.latest.types()).toEqual(["hello", "watch", "watch"]));
    await page.join({ runStatus: "idle" }, "asked", 20);
    expect(screen.getByText("Your view differed from the hub's and was replaced.")).toBeTruthy();
  });
});

describe("what cannot be read", () => {
  const broken = { type: "events", run: "demo", epoch: "e1", seq: 13, events: [{ type: "notice", t: null }] };

  test("is said, and again when the view was replaced", async () => {
    const page = await joined(start("c1"));
    await page.say(broken);
    expect(screen.getByText("Something the hub sent could not be read.")).toBeTruthy();
    expect(row("c1")).toBeTruthy();
    await page.join({ runStatus: "idle" }, "asked", 20);
    expect(screen.queryByText("Something the hub sent could not be read.")).toBeNull();
    expect(screen.getByText("Something the hub sent could not be read, so your view was replaced.")).toBeTruthy();
  });

  test("is said where nothing else is known yet", async () => {
    const page = new TestPage();
    await page.say({ type: "snapshot", run: "demo", epoch: "e1", seq: 3, reason: "join", view: null });
    expect(screen.getByText("The hub's answer could not be read")).toBeTruthy();
    await page.join();
    expect(screen.getByText("No events yet")).toBeTruthy();
  });
});

test("copying says so", async () => {
  const write = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
  await joined(start("c1", { args: '{"b":1e400}' }));
  open("c1");
  fireEvent.click(within(row("c1")).getByRole("button", { name: "Copy arguments" }));
  expect(await within(row("c1")).findByText("Copied")).toBeTruthy();
  expect(write).toHaveBeenCalledWith('{"b":1e400}');
});
