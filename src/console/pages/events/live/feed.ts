import type { Event } from "../../../../../gen/console/gatehouse/v1/event_pb.ts";

/** What a watch of everything brought: all events behind `after` up to the last of these, or up to a bookmark. */
export interface EventBatch {
  readonly after: bigint;
  readonly events: readonly Event[];
  /** The bookmark: there are no further events up to it. */
  readonly upTo?: bigint;
}

/** A page of ListEvents. */
export interface CatchUpPage {
  readonly events: readonly Event[];
  readonly nextPageToken: string;
  /** The last event of the log that the page takes into account. */
  readonly processedSequence: bigint;
}

/** What a feed needs. */
export interface FeedPort {
  /** Lists what is shown behind a sequence. */
  list(afterSequence: bigint, pageToken: string): Promise<CatchUpPage>;
  /** Shows further events, oldest first. Each event is shown once. */
  show(events: readonly Event[]): void;
  isShown(event: Event): boolean;
  /** Called when so much was missed that the whole list is better read again; the feed shows nothing from then on. */
  onTooMuch(): void;
}

/** The events of a list as they happen, whatever brings them: without a gap, and each once. */
export interface Feed {
  /** Takes what a watch brought. Rejects when what is missing before it cannot be read; `catchUp` then reads it. */
  take(batch: EventBatch): Promise<void>;
  /** Reads what happened since the last event. */
  catchUp(): Promise<void>;
  /** All events up to here were taken. */
  position(): bigint;
}

/** As many missed events are shown one after another at most. */
const maxMissed = 2000;

/** Creates a feed of what happens behind a sequence. */
export function createFeed(start: bigint, port: FeedPort): Feed {
  let position = start;
  let isOver = false;
  let queue: Promise<unknown> = Promise.resolve();
  /** One thing after another: a batch waits until what is missing before it was read. */
  const next = async (work: () => Promise<void>): Promise<void> => {
    const own = queue.then(() => (isOver ? undefined : work()));
    queue = own.catch(() => undefined);
    await own;
  };
  const fill = async (): Promise<void> => {
    const missed: Event[] = [];
    let page: CatchUpPage | undefined;
    do {
      page = await port.list(position, page?.nextPageToken ?? "");
      missed.push(...page.events);
    } while (page.nextPageToken !== "" && missed.length <= maxMissed);
    if (page.nextPageToken !== "") {
      isOver = true;
      port.onTooMuch();
      return;
    }
    if (missed.length > 0) port.show(missed);
    position = max(position, missed.at(-1)?.sequence ?? 0n, page.processedSequence);
  };
  return {
    take: ({ after, events, upTo = 0n }) =>
      next(async () => {
        if (after > position) await fill();
        if (isOver) return;
        const fresh = events.filter((event) => event.sequence > position);
        position = max(position, after, upTo, events.at(-1)?.sequence ?? 0n);
        const shown = fresh.filter((event) => port.isShown(event));
        if (shown.length > 0) port.show(shown);
      }),
    catchUp: () => next(fill),
    position: () => position,
  };
}

function max(...values: readonly bigint[]): bigint {
  return values.reduce((largest, value) => (value > largest ? value : largest), 0n);
}
