import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Call } from "../../../src/kernel/base/call.ts";
import type { HeldRoles } from "../../../src/kernel/base/permission.ts";
import { Problem } from "../../../src/kernel/base/problem.ts";
import { createEventCommands } from "../../../src/identity/events/commands.ts";
import type { Watched } from "../../../src/identity/events/watch.ts";
import type { TestLog } from "../../kernel/events/test-log.ts";
import {
  callBy,
  everything,
  instance,
  instanceWide,
  openEventLog,
  organizations,
  originBy,
  sampleEvent,
  viewerOf,
} from "./fixture.ts";

const [home = instance, partner = instance] = organizations;
const [homeId, partnerId] = organizations as [(typeof organizations)[0], (typeof organizations)[0]]; // there are four
const maxLagMs = 10_000;

let log: TestLog;
let abort: AbortController;

beforeEach(async () => {
  log = await openEventLog();
  abort = new AbortController();
});
afterEach(() => log.close());

/** Puts an event into the log and returns its sequence. */
const add = (owner: string, place = 0) => log.append([sampleEvent(4, place, owner)], originBy("20"));

function openCommands(
  limits: { maxWatches?: number; maxWatchesPerOrganization?: number; checkEveryMs?: number } = {},
) {
  return createEventCommands(log.context, {
    watchMaxLagMs: maxLagMs,
    maxWatches: 10,
    maxWatchesPerOrganization: 10,
    checkEveryMs: 600_000, // only commits wake it
    ...limits,
  });
}

/** Opens a watch and returns what takes its events, one by one. */
function watch(
  call: Partial<Call> = {},
  after: number | "now" = 0,
  commands = openCommands(),
  more: { readonly bookmarks?: boolean } = {},
) {
  const whole = { ...callBy(instanceWide, undefined, abort.signal), ...call };
  const from = after === "now" ? undefined : after;
  const watching = commands.watch(whole, { filter: everything, after: from, ...more });
  const iterator = watching[Symbol.asyncIterator]();
  const next = async () => {
    const { value } = (await iterator.next()) as IteratorResult<Watched, undefined>;
    if (value === undefined) return undefined;
    return "event" in value ? value.event.sequence : `bookmark ${value.bookmark}`;
  };
  return { next, end: () => iterator.return?.() };
}

async function reasonOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof Problem) return `${error.kind} ${error.reason}`;
  throw new Error("expected a problem", { cause: error });
}

describe("a watch", () => {
  test("has what is there, then waits for what is committed", async () => {
    const first = await add(home);
    const second = await add(partner);
    const { next, end } = watch();
    expect([await next(), await next()]).toEqual([first, second]);
    const waiting = next();
    const third = await add(home);
    expect(await waiting).toBe(third);
    await end();
  });

  test("without a sequence begins behind the last event", async () => {
    await add(home);
    const { next } = watch({}, "now");
    const waiting = next();
    // The first read is in the queue already; what is written after it is new.
    const second = await add(home);
    expect(await waiting).toBe(second);
    abort.abort();
    expect(await next()).toBeUndefined();
  });

  test("ends when its signal is aborted, while it waits too, and leaves no timer", async () => {
    const { next } = watch();
    const waiting = next();
    await log.database.read(async () => {}); // it waits by now
    abort.abort();
    expect(await waiting).toBeUndefined();
  });

  test("yields many events committed together, page by page", async () => {
    const many = Array.from({ length: 950 }, (_, place) => sampleEvent(4, place, home));
    const last = await log.append(many, originBy("20"));
    const { next, end } = watch();
    const seen: unknown[] = [];
    while (seen.at(-1) !== last) seen.push(await next());
    expect(seen).toEqual((await log.events()).map((event) => event.sequence));
    await end();
  });
});

describe("a bookmark", () => {
  const quick = () => openCommands({ checkEveryMs: 5 });

  test("comes 15 s after the last message, and is behind what the caller may not see", async () => {
    const first = await add(home);
    const call = {
      ...callBy(viewerOf(homeId), undefined, abort.signal),
      confirm: async () => viewerOf(homeId),
    };
    const { next, end } = watch(call, 0, quick(), { bookmarks: true });
    expect(await next()).toBe(first);
    const waiting = next();
    log.clock.turn(14_999);
    const hidden = await add(partner);
    let isThere = false;
    void waiting.then(() => (isThere = true));
    await log.database.read(async () => {});
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    expect(isThere).toBe(false);
    log.clock.turn(1);
    expect(await waiting).toBe(`bookmark ${hidden}`);
    const again = next();
    log.clock.turn(15_000);
    expect(await again).toBe(`bookmark ${hidden}`);
    const last = next();
    const shown = await add(home);
    expect(await last).toBe(shown);
    await end();
  });

  test("comes while a watch reads through events that are not for it, and after the clock went back", async () => {
    const last = await log.append(
      Array.from({ length: 30 }, (_, place) => sampleEvent(4, place, partner)),
      originBy("20"),
    );
    let onJudged = () => {};
    const confirm = async () => {
      onJudged();
      return viewerOf(homeId);
    };
    const judged = () =>
      new Promise<void>((resolve) => {
        onJudged = resolve;
      });
    const call = { ...callBy(viewerOf(homeId), undefined, abort.signal), confirm };
    const { next, end } = watch(call, 0, quick(), { bookmarks: true });
    const waiting = next();
    log.clock.turn(-3_600_000);
    await judged();
    await judged(); // the look of the first judgement is over
    log.clock.turn(15_000);
    expect(await waiting).toBe(`bookmark ${last}`);
    await end();
  });

  test("comes to nobody who has not asked for it, nor after the permission is gone", async () => {
    let isLost = false;
    const confirm = async () => {
      if (isLost) throw new Problem({ kind: "denied", reason: "PERMISSION_DENIED", message: "lost" });
      return instanceWide;
    };
    const commands = quick();
    const [silent, asking] = [watch({}, 0, commands), watch({ confirm }, 0, commands, { bookmarks: true })];
    const waiting = [silent.next(), asking.next()];
    isLost = true;
    log.clock.turn(60_000);
    expect(await reasonOf(waiting[1] ?? Promise.resolve())).toBe("denied PERMISSION_DENIED");
    const first = await add(home);
    expect(await waiting[0]).toBe(first);
    await silent.end();
  });
});

describe("judging again", () => {
  test("happens before what is sent: a watch that lost its permission sends nothing more", async () => {
    let held: readonly HeldRoles[] | undefined = viewerOf(homeId);
    const confirm = async () => {
      if (held === undefined)
        throw new Problem({ kind: "denied", reason: "PERMISSION_DENIED", message: "lost" });
      return held;
    };
    const first = await add(home);
    const { next } = watch({ ...callBy(viewerOf(homeId), undefined, abort.signal), confirm });
    expect(await next()).toBe(first);
    const waiting = next();
    held = undefined;
    await add(home);
    expect(await reasonOf(waiting)).toBe("denied PERMISSION_DENIED");
  });

  test("happens without any event too, after its time", async () => {
    let isLost = false;
    const confirm = async () => {
      if (isLost) throw new Problem({ kind: "unauthenticated", reason: "TOKEN_INVALID", message: "expired" });
      return instanceWide;
    };
    const { next } = watch({ confirm }, 0, openCommands({ checkEveryMs: 20 }));
    const waiting = next();
    isLost = true;
    expect(await reasonOf(waiting)).toBe("unauthenticated TOKEN_INVALID");
  });

  test("happens in the middle of a batch that is taken slowly", async () => {
    let judged = 0;
    const confirm = async () => {
      judged += 1;
      return instanceWide;
    };
    for (let place = 0; place < 3; place += 1) await add(home, place);
    const { next, end } = watch({ confirm }, 0, openCommands({ checkEveryMs: 5000 }));
    await next();
    expect(judged).toBe(1);
    log.clock.turn(5000);
    await next();
    expect(judged).toBe(2);
    await end();
  });

  test("shows more or less as the caller holds more or less", async () => {
    let held = viewerOf(homeId);
    const { next, end } = watch({
      ...callBy(held, undefined, abort.signal),
      confirm: async () => held,
    });
    const first = await add(home);
    expect(await next()).toBe(first);
    held = viewerOf(homeId, partnerId);
    const waiting = next();
    const [hidden, shown] = [await add(partner), await add(home)];
    expect([await waiting, await next()]).toEqual([hidden, shown]);
    held = viewerOf(partnerId);
    const last = next();
    await add(home);
    expect(await Promise.all([last, add(partner)])).toEqual([expect.any(Number), expect.any(Number)]);
    await end();
  });
});

describe("a slow reader", () => {
  test("who was up to date is cut off when the next event is older than the bound", async () => {
    const { next } = watch();
    const waiting = next();
    await add(home);
    await waiting;
    await add(home);
    log.clock.turn(maxLagMs + 1000);
    expect(await reasonOf(next())).toBe("exhausted LIMIT_REACHED");
  });

  test("who still catches up may take their time", async () => {
    const first = await add(home, 1);
    const second = await add(home, 2);
    const { next, end } = watch();
    expect(await next()).toBe(first);
    log.clock.turn(24 * 3_600_000);
    expect(await next()).toBe(second);
    await end();
  });

  test("is not who reads at once what a process with a slow clock has committed", async () => {
    const clock = { nowMs: () => log.clock.nowMs() + 3 * maxLagMs };
    const context = { ...log.context, clock };
    const limits = { maxWatches: 1, maxWatchesPerOrganization: 1, checkEveryMs: 600_000 };
    const commands = createEventCommands(context, { watchMaxLagMs: maxLagMs, ...limits });
    const { next, end } = watch({}, 0, commands);
    for (let round = 0; round < 3; round++) {
      const waiting = next();
      const added = await add(home);
      expect(await waiting).toBe(added);
    }
    const waiting = next();
    await add(home);
    await waiting;
    await add(home);
    log.clock.turn(maxLagMs + 1000);
    expect(await reasonOf(next())).toBe("exhausted LIMIT_REACHED");
    await end();
  });

  test("is not who sees older events only since now", async () => {
    let held = viewerOf(homeId);
    const { next, end } = watch({ ...callBy(held, undefined, abort.signal), confirm: async () => held });
    const first = await add(home);
    expect(await next()).toBe(first);
    const hidden = await add(partner);
    log.clock.turn(maxLagMs + 1000);
    held = viewerOf(homeId, partnerId);
    const shown = await add(home);
    expect([await next(), await next()]).toEqual([hidden, shown]);
    await end();
  });
});

describe("the admission", () => {
  test("holds so many watches, and one that ends makes place", async () => {
    const commands = openCommands({ maxWatches: 2 });
    const first = await add(home);
    const [one, two, three] = [watch({}, 0, commands), watch({}, 0, commands), watch({}, 0, commands)];
    expect([await one.next(), await two.next()]).toEqual([first, first]);
    expect(await reasonOf(three.next())).toBe("exhausted TOO_MANY_STREAMS");
    await one.end();
    const four = watch({}, 0, commands);
    expect(await four.next()).toBe(first);
    await Promise.all([two.end(), four.end()]);
  });

  test("holds so many of one organization, and those of others besides", async () => {
    const commands = openCommands({ maxWatchesPerOrganization: 1 });
    const first = await add(home);
    const one = watch({}, 0, commands);
    expect(await one.next()).toBe(first);
    expect(await reasonOf(watch({}, 0, commands).next())).toBe("exhausted TOO_MANY_STREAMS");
    const call = callBy(instanceWide, undefined, abort.signal);
    const other = watch({ caller: { ...call.caller, organizationId: partnerId } }, 0, commands);
    expect(await other.next()).toBe(first);
    await Promise.all([one.end(), other.end()]);
  });
});
