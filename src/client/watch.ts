import { Code } from "@connectrpc/connect";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Event } from "../../gen/gatehouse/v1/event_pb.ts";
import { EventService, type WatchEventsRequestSchema } from "../../gen/gatehouse/v1/event_service_pb.ts";
import { GatehouseError, isAboutToken, isPassing } from "./errors.ts";
import type { Gatehouse } from "./gatehouse.ts";
import { wait, waitMs } from "./waits.ts";

/** What ends a watch. */
export interface WatchOptions {
  readonly signal?: AbortSignal;
}

/** The service sends something every 15 s; a connection that is silent for longer is dead. */
const silentMs = 45_000;

/**
 * Yields events as they are committed, each once and in order. When the connection fails, or the service restarts, the watch goes on
 * where it was. Without `afterSequence` it begins with what comes after the call. Ends when the signal is aborted; raises GatehouseError
 * for what does not pass.
 *
 *     for await (const event of watchEvents(gatehouse, { aggregateType: "user" })) …
 */
export async function* watchEvents(
  gatehouse: Pick<Gatehouse, "client">,
  request: MessageInitShape<typeof WatchEventsRequestSchema> = {},
  { signal }: WatchOptions = {},
): AsyncGenerator<Event, void, undefined> {
  const events = gatehouse.client(EventService);
  let { afterSequence } = request as { readonly afterSequence?: bigint }; // of a message or of its parts
  let failures = 0;
  let isRefused = false;
  for (;;) {
    const silence = createSilence(signal);
    try {
      // A call that is no stream gets another token if need be.
      if (afterSequence === undefined || isRefused) {
        const { details } = await events.listEvents({ pageSize: 1 }, { signal: silence.signal });
        afterSequence ??= details?.processedSequence;
      }
      const asked = {
        ...request,
        ...(afterSequence === undefined ? {} : { afterSequence }),
        bookmarks: true,
      };
      for await (const { event, bookmark } of events.watchEvents(asked, {
        signal: silence.signal,
        timeoutMs: 0,
      })) {
        [failures, isRefused] = [0, false];
        silence.restart();
        afterSequence = event?.sequence ?? bookmark;
        if (event === undefined) continue;
        silence.pause();
        yield event;
        silence.restart();
      }
    } catch (error) {
      if (signal?.aborted) return;
      const failure = GatehouseError.from(error);
      const isNew = isAboutToken(failure) && !isRefused;
      if (!isNew && !isPassing(failure) && failure.code !== Code.Canceled) throw failure;
      isRefused = isAboutToken(failure);
    } finally {
      silence.pause();
    }
    try {
      await wait(waitMs(failures), signal);
    } catch {
      return; // aborted
    }
    failures += 1;
  }
}

/** Aborts when nothing was heard for too long, or with the signal of the caller. */
function createSilence(signal: AbortSignal | undefined) {
  const dead = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const pause = () => clearTimeout(timer);
  const restart = () => {
    pause();
    timer = setTimeout(() => dead.abort(), silentMs);
  };
  restart();
  return {
    signal: signal === undefined ? dead.signal : AbortSignal.any([signal, dead.signal]),
    pause,
    restart,
  };
}
