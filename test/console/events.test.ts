import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import { type Event, EventSchema } from "../../gen/gatehouse/v1/event_pb.ts";
import { ListEventsResponseSchema } from "../../gen/gatehouse/v1/event_service_pb.ts";
import { endOfEventDay, isShown, startOfDay } from "../../src/console/pages/events/event-filter.ts";
import {
  type EventQuery,
  isPast,
  loadEvents,
  readEvents,
} from "../../src/console/pages/events/event-pages.ts";
import { createFeed, type FeedPort } from "../../src/console/pages/events/live/feed.ts";
import { visibleRows } from "../../src/console/pages/events/visible-rows.ts";
import { findOfType } from "../../src/console/pages/overview/attention/find-attention.ts";
import {
  floorOf,
  isFailedDelivery,
  isNear,
  signalTypes,
  toSignals,
} from "../../src/console/pages/overview/attention/signals.ts";
import { aggregateWords } from "../../src/console/ui/events/aggregate-words.ts";
import { eventWords } from "../../src/console/ui/events/event-words.ts";
import { type ListEvents, readNewest } from "../../src/console/ui/events/newest-events.ts";
import { loadAll } from "../../src/console/ui/list/list-source.ts";
import { eventDefinitions } from "../../src/kernel/events/catalogue.ts";

type Init = Parameters<typeof create<typeof EventSchema>>[1];

const eventAt = (sequence: bigint, more: Init = {}): Event => create(EventSchema, { ...more, sequence });

/** Lists as the service does: from the newest on, page by page. */
function listOf(log: readonly Event[]): { readonly list: ListEvents; readonly asked: unknown[] } {
  const asked: unknown[] = [];
  return {
    asked,
    async list({ afterSequence, beforeSequence, pageSize }) {
      asked.push({ afterSequence, beforeSequence, pageSize });
      const left = log
        .filter(({ sequence: at }) => at > afterSequence && (beforeSequence === 0n || at < beforeSequence))
        .toReversed();
      return {
        events: left.slice(0, pageSize),
        nextPageToken: left.length > pageSize ? "more" : "",
        details: { processedSequence: log.at(-1)?.sequence ?? 0n },
      };
    },
  };
}

const spread = (count: number, every: bigint): Event[] =>
  Array.from({ length: count }, (_, index) => eventAt(BigInt(index + 1) * every));
const sequencesOf = (events: readonly Event[]): readonly bigint[] => events.map(({ sequence }) => sequence);

describe("the newest events", () => {
  const log = spread(300, 10n);

  test("are read without a gap, each once, also while new ones happen", async () => {
    const found: bigint[] = [];
    let next: bigint | undefined = 0n;
    for (let more = 0; next !== undefined; more += 7) {
      const { list } = listOf([...log, ...spread(more, 1n).map(({ sequence }) => eventAt(3000n + sequence))]);
      const part: Awaited<ReturnType<typeof readNewest>> = await readNewest(list, {
        wanted: 50,
        before: next,
      });
      found.push(...sequencesOf(part.events));
      next = part.next;
    }
    expect(found).toEqual(sequencesOf(log).toReversed());
  });

  test("are those between two sequences, and say where the log ends", async () => {
    const { list } = listOf(log);
    const { events, next, end } = await readNewest(list, { wanted: 50, before: 501n, after: 450n });
    expect(sequencesOf(events)).toEqual([500n, 490n, 480n, 470n, 460n]);
    expect([next, end]).toEqual([undefined, 3000n]);
  });
});

describe("the events of a CSV file", () => {
  const at = (second: number): bigint => BigInt(Date.UTC(2026, 0, 1, 0, 0, second)) * 1000n;
  const log = Array.from({ length: 3000 }, (_none, index) => at(index));
  const filter = {
    aggregateType: "user",
    aggregateId: "",
    eventType: "",
    editor: "",
    organizationId: "1",
    hasRenewals: true,
  };
  const client: EventQuery["client"] = {
    async listEvents({ afterSequence = 0n, beforeSequence = 0n, pageSize = 0, aggregateType = "" }) {
      const { list } = listOf(log.map((each) => eventAt(each, { aggregateType })));
      const { events, nextPageToken, details } = await list({
        newestFirst: true,
        afterSequence,
        beforeSequence,
        pageSize,
      });
      return create(ListEventsResponseSchema, {
        events: [...events],
        nextPageToken,
        ...(details && { details }),
      });
    },
  };
  const days = { from: undefined, until: undefined };

  test("are all that the filters let through, the newest first", async () => {
    const rows = await loadAll(loadEvents({ client, filter, ...days }), {});
    expect(sequencesOf(rows)).toEqual(log.toReversed());
    expect(new Set(rows.map(({ aggregateType }) => aggregateType))).toEqual(new Set(["user"]));
  });

  test("are those between two days, to which nothing new comes", async () => {
    const [from, until] = [new Date(Date.UTC(2026, 0, 1, 0, 10)), new Date(Date.UTC(2026, 0, 1, 0, 20))];
    const query = { client, filter, from, until };
    expect(sequencesOf(await loadAll(loadEvents(query), {}))).toEqual(log.slice(600, 1201).toReversed());
    const { end } = await readEvents(query, 0n, 10);
    expect([isPast(query, end), isPast({ ...query, ...days }, end)]).toEqual([true, false]);
  });
});

describe("a feed", () => {
  const open = (stored: readonly bigint[], more: Partial<FeedPort> = {}) => {
    const shown: bigint[] = [];
    const calls: bigint[] = [];
    const feed = createFeed(2n, {
      async list(afterSequence) {
        calls.push(afterSequence);
        const events = stored.filter((each) => each > afterSequence).map((each) => eventAt(each));
        return { events, nextPageToken: "", processedSequence: stored.at(-1) ?? 0n };
      },
      show: (events) => shown.push(...sequencesOf(events)),
      isShown: () => true,
      onTooMuch: () => calls.push(-1n),
      ...more,
    });
    return { feed, shown, calls };
  };
  const batch = (after: bigint, ...sequences: readonly bigint[]) => ({
    after,
    events: sequences.map((each) => eventAt(each)),
  });

  test("goes on behind a bookmark, and reads what is missing before one", async () => {
    const { feed, shown, calls } = open([3n, 4n]);
    await feed.take({ ...batch(2n), upTo: 9n });
    expect([feed.position(), shown, calls]).toEqual([9n, [], []]);
    await feed.take({ ...batch(12n), upTo: 15n });
    expect([feed.position(), calls]).toEqual([15n, [9n]]);
  });

  test("shows each event once, however often it comes", async () => {
    const { feed, shown, calls } = open([]);
    await feed.take(batch(2n, 3n, 4n));
    await feed.take(batch(2n, 3n, 4n, 5n));
    await feed.take(batch(1n, 2n));
    expect(shown).toEqual([3n, 4n, 5n]);
    expect(calls).toEqual([]);
    expect(feed.position()).toBe(5n);
  });

  test("reads what is missing before a batch, also while further ones come", async () => {
    const { feed, shown, calls } = open([3n, 4n, 5n, 6n]);
    await Promise.all([feed.take(batch(5n, 6n)), feed.take(batch(6n, 7n))]);
    expect(shown).toEqual([3n, 4n, 5n, 6n, 7n]);
    expect(calls).toEqual([2n]);
  });

  test("drops a batch if what is missing cannot be read, and catches up then", async () => {
    let isBroken = true;
    const { feed, shown } = open([], {
      async list() {
        if (isBroken) throw new Error("no answer");
        return { events: [eventAt(3n), eventAt(9n)], nextPageToken: "", processedSequence: 9n };
      },
    });
    await expect(feed.take(batch(8n, 9n))).rejects.toThrow("no answer");
    expect(shown).toEqual([]);
    isBroken = false;
    await feed.catchUp();
    expect(shown).toEqual([3n, 9n]);
  });

  test("does not read again what its filter left out", async () => {
    const { feed, shown, calls } = open([], { isShown: ({ sequence }) => sequence === 4n });
    await feed.take(batch(2n, 3n, 4n, 5n));
    await feed.take(batch(5n, 6n));
    expect(shown).toEqual([4n]);
    expect(calls).toEqual([]);
  });

  test("gives up when too much was missed, and shows nothing from then on", async () => {
    const { feed, shown, calls } = open([], {
      list: async () => ({ events: [eventAt(3n)], nextPageToken: "more", processedSequence: 3n }),
    });
    await feed.catchUp();
    await feed.take(batch(2n, 3n));
    expect(calls).toEqual([-1n]);
    expect(shown).toEqual([]);
  });
});

describe("the filter of events", () => {
  const none = {
    aggregateType: "",
    aggregateId: "",
    eventType: "",
    editor: "",
    organizationId: "",
    hasRenewals: true,
  };
  const values = {
    aggregateType: "project",
    aggregateId: "1",
    eventType: "project.added",
    editor: "2",
    resourceOwner: "3",
  };
  const event = eventAt(1n, values);

  test("lets everything through that fits all of it", () => {
    expect(isShown(event, none)).toBe(true);
    const { resourceOwner: organizationId, ...filter } = values;
    expect(isShown(event, { ...none, ...filter, organizationId })).toBe(true);
  });

  test.each(["aggregateType", "aggregateId", "eventType", "editor", "organizationId"])(
    "keeps back what has another %s",
    (name) => {
      expect(isShown(event, { ...none, [name]: "other" })).toBe(false);
    },
  );

  test.each([
    ["authorization.granted", { application_id: "gatehouse-console" }, false],
    ["authorization.granted", { application_id: "7", is_renewal: true }, false],
    ["authorization.granted", { application_id: "7" }, true],
    ["session.added", { application_id: "gatehouse-console" }, true],
  ])("leaves out %s of %j unless it is asked for: %s", (eventType, payload, isWanted) => {
    const login = eventAt(1n, { eventType, payload });
    expect(isShown(login, { ...none, hasRenewals: false })).toBe(isWanted);
    expect(isShown(login, none)).toBe(true);
  });

  test("reads on for what is wanted, but not without an end", async () => {
    const { list, asked } = listOf(spread(40_000, 1n));
    const isWanted = ({ sequence }: Event): boolean => sequence < 9000n;
    const first = await readNewest(list, { wanted: 50, isWanted });
    expect([first.events, asked.length]).toEqual([[], 30]);
    const { events } = await readNewest(list, { wanted: 50, before: first.next ?? 0n, isWanted });
    expect(events.length).toBeGreaterThanOrEqual(50);
  });

  test("reads days, and nothing else", () => {
    expect(startOfDay("2030-12-31")).toEqual(new Date(2030, 11, 31));
    expect(endOfEventDay("2030-12-31")?.getTime()).toBe(new Date(2031, 0, 1).getTime() - 1);
    expect(["", "soon", "2030-13-01", "2030-12-31T00:00"].map(startOfDay)).toEqual(Array(4).fill(undefined));
  });
});

describe("the rows that are drawn", () => {
  const list = { count: 1000, rowHeight: 50, height: 500 };
  test.each([
    [0, { first: 0, end: 18 }],
    [10_000, { first: 192, end: 218 }],
    [49_500, { first: 982, end: 1000 }],
  ])("at %i pixels are those that can be seen, and some more", (scrollTop, expected) => {
    expect(visibleRows({ ...list, scrollTop })).toEqual(expected);
  });

  test("are none of an empty list", () => {
    expect(visibleRows({ ...list, count: 0, scrollTop: 0 })).toEqual({ first: 0, end: 0 });
  });
});

describe("what needs attention", () => {
  const [tokens] = signalTypes;
  const nowMs = Date.UTC(2026, 5, 1);
  const added = (sequence: bigint, token: string, expiration?: string): Event =>
    eventAt(sequence, {
      aggregateId: "7",
      payload: { token_id: token, ...(expiration === undefined ? {} : { expiration_date: expiration }) },
    });

  test("is what expires within 30 days, or did so lately", () => {
    const events = [
      added(5n, "soon", "2026-06-20T00:00:00Z"),
      added(4n, "late", "2026-09-01T00:00:00Z"),
      added(3n, "over", "2026-05-20T00:00:00Z"),
      added(2n, "long-over", "2026-01-01T00:00:00Z"),
      added(1n, "never"),
    ];
    if (tokens === undefined) throw new Error("tokens are looked at");
    expect(toSignals(events, tokens, nowMs).map(({ itemId }) => itemId)).toEqual(["soon", "over"]);
    expect(isNear(undefined, nowMs)).toBe(false);
  });

  test("is asked once for each object", () => {
    const locked = signalTypes.find(({ kind }) => kind === "locked");
    if (locked === undefined) throw new Error("locks are looked at");
    const events = [eventAt(2n, { aggregateId: "7" }), eventAt(1n, { aggregateId: "7" })];
    expect(toSignals(events, locked, nowMs).map(({ sequence }) => sequence)).toEqual([2n]);
  });

  test("is what could not be delivered in the last seven days: the newest of each kind for each object", () => {
    const deliveries = signalTypes.filter(({ kind }) => isFailedDelivery(kind));
    expect(deliveries.map(({ eventType }) => eventType)).toEqual([
      "user.email.delivery.failed",
      "user.phone.delivery.failed",
      "application.logout_token.dropped",
    ]);
    for (const type of deliveries) {
      expect(floorOf(type, nowMs)).toBe(BigInt(Date.UTC(2026, 4, 25)) * 1000n);
      const events = [3n, 2n, 1n].map((at) => eventAt(at, { aggregateId: at === 2n ? "8" : "7" }));
      expect(toSignals(events, type, nowMs).map(({ ownerId, sequence }) => [ownerId, sequence])).toEqual([
        ["7", 3n],
        ["8", 2n],
      ]);
    }
  });

  /** Searches tokens that all expire soon, of which only those in `left` are still there. */
  const searchTokens = async (count: number, left: readonly string[]) => {
    if (tokens === undefined) throw new Error("tokens are looked at");
    const events = Array.from({ length: count }, (_, index) =>
      added(BigInt(index + 1), `token-${index + 1}`, "2026-06-02T00:00:00Z"),
    );
    const { found, isCut } = await findOfType(tokens, {
      nowMs,
      list: listOf(events).list,
      ask: (signal) => Promise.resolve(left.includes(signal.itemId) ? { signal, title: "CI" } : undefined),
    });
    return { found: found.map(({ signal }) => signal.itemId), isCut };
  };

  test("is found behind any number of newer objects that are gone", async () => {
    expect(await searchTokens(400, ["token-1"])).toEqual({ found: ["token-1"], isCut: false });
  });

  test("is cut when enough is found, and when too many objects are gone to look at all of them", async () => {
    const left = Array.from({ length: 30 }, (_, index) => `token-${index + 1}`);
    const { found, isCut } = await searchTokens(30, left);
    expect([found.length, isCut]).toEqual([10, true]);
    expect(await searchTokens(10, left.slice(0, 10))).toMatchObject({ isCut: false });
    expect(await searchTokens(700, ["token-1"])).toEqual({ found: [], isCut: true });
  });

  test("is found among events beyond the newest 500 of its type", async () => {
    if (tokens === undefined) throw new Error("tokens are looked at");
    const events = Array.from({ length: 1200 }, (_, index) =>
      added(BigInt(index + 1), `token-${index + 1}`, index === 0 ? "2026-06-02T00:00:00Z" : undefined),
    );
    const { found, isCut } = await findOfType(tokens, {
      nowMs,
      list: listOf(events).list,
      ask: (signal) => Promise.resolve({ signal, title: "CI" }),
    });
    expect([found.map(({ signal }) => signal.itemId), isCut]).toEqual([["token-1"], false]);
  });

  test("follows events that exist", () => {
    expect(Object.keys(eventDefinitions)).toEqual(
      expect.arrayContaining(signalTypes.map(({ eventType }) => eventType)),
    );
  });
});

test("there are words for every type of event, and for every kind of object", () => {
  expect(Object.keys(eventWords.en).toSorted()).toEqual(Object.keys(eventDefinitions).toSorted());
  const kinds = Object.keys(eventDefinitions).map((type) => type.split(".")[0] ?? "");
  expect(Object.keys(aggregateWords.en).toSorted()).toEqual([...new Set(kinds)].toSorted());
});
