import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type CallProblem, readProblem } from "../../api/call-problem.ts";
import type { Event } from "../../../../gen/console/gatehouse/v1/event_pb.ts";
import { isShown, toListFilter } from "./event-filter.ts";
import { type EventQuery, isPast, readEvents } from "./event-pages.ts";
import { createFeed, type Feed } from "./live/feed.ts";

/** A list of events, newest first, as far as it was read. */
export interface EventList {
  readonly events: readonly Event[];
  readonly isReading: boolean;
  readonly isMore: boolean;
  readonly problem: CallProblem | undefined;
  /** The list that new events are added to; undefined before the first ones were read, and for a list of the past. */
  readonly feed: Feed | undefined;
  /** Reads older ones, or again what could not be read. */
  readOlder(): void;
}

interface State {
  readonly events: readonly Event[];
  /** The list goes on before this sequence; 0: nothing was read yet, undefined: there are no more. */
  readonly next: bigint | undefined;
  readonly problem: CallProblem | undefined;
  readonly isReading: boolean;
  readonly feed: Feed | undefined;
}

const wanted = 50;
/** A page that stays open for long forgets the oldest; they can be read again. */
const mostEvents = 10_000;
const missedPage = 250;

const emptyState: State = {
  events: [],
  next: 0n,
  problem: undefined,
  isReading: true,
  feed: undefined,
};

/** Lists events, newest first. It begins again when one of the inputs changes; undefined: it waits. */
export function useEventList(query: EventQuery | undefined, inputs: readonly unknown[]): EventList {
  const [state, setState] = useState<State>(emptyState);
  const [round, setRound] = useState(0);
  const latest = useRef(0);
  const isBusy = useRef(false);

  const read = async (own: number, from: State): Promise<void> => {
    if (query === undefined || from.next === undefined || isBusy.current) return;
    const update = (change: Partial<State>): void => {
      if (own === latest.current) setState((last) => ({ ...last, ...change }));
    };
    isBusy.current = true;
    update({ isReading: true, problem: undefined });
    try {
      const { events, next, end } = await readEvents(query, from.next, wanted);
      if (own !== latest.current) return;
      const canGrow = from.next === 0n && !isPast(query, end);
      setState((last) => ({
        events: [...last.events, ...events],
        next,
        problem: undefined,
        isReading: false,
        feed: last.feed ?? (canGrow ? openFeed(end) : undefined),
      }));
    } catch (error) {
      update({ problem: readProblem(error), isReading: false });
    } finally {
      if (own === latest.current) isBusy.current = false;
    }
  };

  const openFeed = (position: bigint): Feed | undefined => {
    if (query === undefined) return undefined;
    const { client, filter } = query;
    const filters = toListFilter(filter);
    const own = latest.current;
    return createFeed(position, {
      async list(afterSequence, pageToken) {
        const request = { ...filters, afterSequence, pageToken, pageSize: missedPage };
        const { events, nextPageToken, details } = await client.listEvents(request);
        return { events, nextPageToken, processedSequence: details?.processedSequence ?? 0n };
      },
      isShown: (event) => isShown(event, filter),
      show(events) {
        if (own === latest.current) setState((last) => addNewer(last, events));
      },
      onTooMuch: () => setRound((last) => last + 1),
    });
  };

  useEffect(() => {
    latest.current += 1;
    isBusy.current = false;
    setState(emptyState);
    void read(latest.current, emptyState);
    return () => {
      latest.current += 1;
    };
  }, [...inputs, round]);

  return {
    events: state.events,
    isReading: state.isReading,
    isMore: state.next !== undefined && state.next !== 0n,
    problem: state.problem,
    feed: state.feed,
    readOlder: useCallback(() => void read(latest.current, state), [state]),
  };
}

/** Rows that are no longer shown are read again when the user goes there. */
function addNewer(state: State, oldestFirst: readonly Event[]): State {
  const events = [...oldestFirst.toReversed(), ...state.events];
  if (events.length <= mostEvents) return { ...state, events };
  const kept = events.slice(0, mostEvents);
  return { ...state, events: kept, next: kept.at(-1)?.sequence };
}
