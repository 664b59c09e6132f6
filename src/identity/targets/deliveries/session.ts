// A session: the time in which a process delivers for one target, from its claim until there is nothing left to send, or
// nothing may be sent for a while.

import type { Origin } from "../../../kernel/base/call.ts";
import type { TableWatch, WriteTransaction } from "../../../kernel/base/database.ts";
import type { Random } from "../../../kernel/base/random.ts";
import type { LoggedEvent } from "../../../kernel/events/event.ts";
import { endTarget, type Target } from "../target/target.ts";
import { attemptMs, heldMs, nextAttemptMs, type TargetPosition, renewMs } from "../positions/position.ts";
import { type Batch, type BatchPorts, type Known, readBatch } from "./read-batch.ts";
import { claimTarget, type Progress } from "./progress.ts";
import type { WebhookAnswer, WebhookConnection, WebhookPort } from "./webhook.ts";

/** What sessions work with. */
export interface SessionPorts extends BatchPorts {
  readonly random: Random;
  readonly webhooks: WebhookPort;
  /** Makes the body of a delivery. */
  readonly toBody: (event: LoggedEvent) => string;
  /** Of the tables that decide what may be delivered, and where to. */
  readonly watch: TableWatch;
  /** Names this process. */
  readonly holder: string;
  /** Called for each attempt. */
  readonly onAttempt: (attempt: TargetAttempt) => void;
}

/** An attempt to deliver an event. */
export interface TargetAttempt {
  readonly targetId: string;
  readonly sequence: number;
  readonly isDelivered: boolean;
  /** Of the answer; 0: there was none. */
  readonly status: number;
  readonly durationMs: number;
  /** How often the event was sent, with this time. */
  readonly attempts: number;
}

/** What a session is about. */
export interface DueOptions {
  readonly id: string;
  readonly known: Known | undefined;
  /** Says whether the service stops: then nothing more is sent. */
  readonly isStopped: () => boolean;
  /** Breaks off what is being sent. */
  readonly signal: AbortSignal;
  /** Resolves to true once there may be news, and to false when there was none for so long. */
  readonly waitForNews: (ms: number) => Promise<boolean>;
}

/** How a session ended. */
export interface DueEnd {
  /** When to begin again, in ms since 1970; Infinity: when something has changed. */
  readonly nextMs: number;
  readonly known: Known | undefined;
  /** Whether nothing may go to the target at the moment. */
  readonly isBlocked?: true;
}

/** Everything that a batch was checked against must not be older, where another process may have changed it. */
const maxBatchAgeMs = 1000;
/** A claim is kept for so long when there is nothing to send. */
const lingerMs = 1000;
/** What became of events is stored when there was nothing to send for so long. */
const storeMs = 100;
/** What time alone may allow, such as a role that begins, is found so late. */
const blockedMs = 60_000;

const origin: Origin = { editor: "system", remoteAddress: undefined, requestId: "webhooks" };

/** Delivers what is due for a target. Rejects with errors of the storage. */
export async function deliverDue(ports: SessionPorts, options: DueOptions): Promise<DueEnd> {
  const nowMs = ports.context.clock.nowMs();
  const batch = await readBatch(ports, options.id, options.known);
  if (batch === undefined) return { nextMs: nowMs + blockedMs, known: undefined, isBlocked: true };
  const { position } = batch;
  if (batch.events.length === 0 && !batch.wasFar)
    return { nextMs: Infinity, known: toKnown(batch, { ...position, sequence: batch.upTo }) };
  const { holder, heldUntilMs } = position;
  if (holder !== ports.holder && holder !== "" && heldUntilMs > nowMs)
    return { nextMs: heldUntilMs, known: options.known };
  if (position.nextAttemptMs > nowMs) return { nextMs: position.nextAttemptMs, known: options.known };
  const progress = await claimTarget(ports, batch.target);
  if (progress === undefined) return { nextMs: nowMs + heldMs, known: options.known };
  const connection = ports.webhooks.connect(batch.target.url);
  const renewal = setInterval(() => void progress.store(), renewMs).unref();
  try {
    return await run({ ports, options, connection, progress }, batch.target);
  } finally {
    clearInterval(renewal);
    connection.close();
  }
}

interface Session {
  readonly ports: SessionPorts;
  readonly options: DueOptions;
  readonly connection: WebhookConnection;
  readonly progress: Progress;
}

/** Sends batch after batch, until there is nothing left, an attempt fails, or the target is another one. */
async function run(session: Session, target: Target): Promise<DueEnd> {
  const { ports, options, progress } = session;
  let { known } = options;
  for (;;) {
    const readMs = ports.context.clock.nowMs();
    const revision = ports.watch.committed();
    const batch = options.isStopped() ? undefined : await readBatch(ports, options.id, known);
    if (batch === undefined) return await leave(session, { nextMs: readMs + blockedMs, isBlocked: true });
    if (batch.target.url !== target.url || !progress.begin(batch.position))
      return await leave(session, { nextMs: 0 });
    const sent = await sendAll(session, batch, { readMs, revision });
    if (sent === "all") progress.passTo(batch.upTo);
    const position = progress.position();
    known = toKnown(batch, position);
    if (sent === "gone") return await leave(session, { nextMs: Infinity }, batch.target);
    if (sent === "failed") return await leave(session, { nextMs: position.nextAttemptMs, known });
    if (sent === "stale" || !batch.isEnd) continue;
    if (await options.waitForNews(storeMs)) continue;
    await progress.store();
    if (!(await options.waitForNews(lingerMs))) return await leave(session, { nextMs: Infinity, known });
  }
}

/** Ends a session. It begins again at once if the process has lost its claim, or there is news. */
async function leave(
  { ports, progress }: Session,
  end: { readonly nextMs: number; readonly known?: Known; readonly isBlocked?: true },
  gone?: Target,
): Promise<DueEnd> {
  const also = gone && ((tx: WriteTransaction) => recordGone(ports, tx, gone));
  const isStored = await progress.leave(also);
  return isStored ? { known: undefined, ...end } : { nextMs: 0, known: undefined };
}

/** Sends the events of a batch, one after the other. "stale": the rest has to be read again. */
async function sendAll(
  session: Session,
  batch: Batch,
  { readMs, revision }: { readonly readMs: number; readonly revision: number },
): Promise<"all" | "stale" | "failed" | "gone"> {
  const { ports, options, progress } = session;
  const { clock } = ports.context;
  for (const event of batch.events) {
    const nowMs = clock.nowMs();
    if (progress.position().nextAttemptMs > nowMs) return "failed";
    const isFresh =
      nowMs >= readMs && nowMs - readMs < maxBatchAgeMs && nowMs < (batch.creator.untilMs ?? Infinity);
    if (!isFresh || ports.watch.committed() !== revision || options.isStopped()) return "stale";
    if (!(await progress.isOwn())) return "stale";
    const answer = await post(session, batch, event);
    if (options.signal.aborted && answer.kind === "unreachable") return "stale"; // broken off: it does not count
    const result = record(session, event, { answer, startMs: nowMs });
    if (result !== "delivered") return result;
  }
  return "all";
}

async function post(
  { ports, options, connection }: Session,
  batch: Batch,
  event: LoggedEvent,
): Promise<WebhookAnswer> {
  return await connection.post({
    id: String(event.sequence),
    body: ports.toBody(event),
    secrets: batch.secrets,
    timeoutMs: attemptMs,
    signal: options.signal,
  });
}

/** Takes an answer into account, and says what follows from it. */
function record(
  { ports, options, progress }: Session,
  event: LoggedEvent,
  { answer, startMs }: { readonly answer: WebhookAnswer; readonly startMs: number },
): "delivered" | "failed" | "gone" {
  const nowMs = ports.context.clock.nowMs();
  const status = answer.kind === "answered" ? answer.status : 0;
  const isDelivered = status >= 200 && status < 300;
  const attempts = progress.position().attempts + 1;
  const durationMs = Math.max(0, nowMs - startMs);
  const jitter = ports.random.below(1000) / 1000;
  progress.add(
    {
      sequence: event.sequence,
      eventType: event.type,
      failure: isDelivered ? undefined : failureOf(answer),
      status,
      attempts,
      firstAttemptMs: startMs,
      lastAttemptMs: startMs,
      durationMs,
    },
    nextAttemptMs(attempts, nowMs, jitter),
  );
  const { sequence } = event;
  ports.onAttempt({ targetId: options.id, sequence, isDelivered, status, durationMs, attempts });
  if (isDelivered) return "delivered";
  return status === 410 ? "gone" : "failed";
}

function failureOf(answer: WebhookAnswer) {
  switch (answer.kind) {
    case "answered":
      return "STATUS";
    case "unreachable":
      return "UNREACHABLE";
    case "forbidden":
      return "FORBIDDEN";
  }
}

/** Records that the receiver wants no more events. */
async function recordGone({ context }: SessionPorts, tx: WriteTransaction, target: Target): Promise<void> {
  await context.log.append(tx, origin, [endTarget(target)]);
}

function toKnown({ target }: Batch, { generation, sequence }: TargetPosition): Known {
  return { generation, targetSequence: target.details.sequence, sequence };
}
