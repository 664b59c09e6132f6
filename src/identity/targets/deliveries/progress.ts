import type { WriteTransaction } from "../../../kernel/base/database.ts";
import type { FeatureContext } from "../../context.ts";
import {
  addPosition,
  claimPosition,
  deleteSurplusDeliveries,
  isStillActive,
  putDeliveries,
  putPosition,
} from "../positions/position-repository.ts";
import { heldMs, renewMs, type TargetDelivery, type TargetPosition } from "../positions/position.ts";
import type { Target } from "../target/target.ts";

/** How far a process has come with a target that it has claimed. What it knows is a little ahead of what is stored. */
export interface Progress {
  /** Takes the stored place for the first time. Returns false if the process does not deliver any more, or events are asked for again. */
  begin(stored: TargetPosition): boolean;
  position(): TargetPosition;
  /** Notes what became of an event; if it was not delivered, it is sent again at `nextAttemptMs`. */
  add(delivery: TargetDelivery, nextAttemptMs: number): void;
  /** Notes that there is nothing up to a sequence that was not delivered. */
  passTo(sequence: number): void;
  /** Says whether this process still delivers for the target; renews the claim if it ends soon. Rejects with errors of the storage. */
  isOwn(): Promise<boolean>;
  /** Stores what is not stored yet, and renews the claim. Never rejects. */
  store(): Promise<void>;
  /**
   * Stores everything, with what `also` writes, and ends the claim. Returns false if the process did not deliver any more, and nothing
   * was stored. Rejects with errors of the storage.
   */
  leave(also?: (tx: WriteTransaction) => Promise<void>): Promise<boolean>;
}

interface ProgressPorts {
  readonly context: Pick<FeatureContext, "database" | "clock">;
  /** Names the process. */
  readonly holder: string;
}

/** How far what is stored may be behind, so that one write is for many deliveries. */
const storeEveryMs = 200;
const storeAtMost = 200;
/** After so many deliveries those that are not listed any more go. */
const trimEvery = 2000;

/** Claims a target. Undefined: another process delivers for it. */
export async function claimTarget(ports: ProgressPorts, target: Target): Promise<Progress | undefined> {
  const { context, holder } = ports;
  const nowMs = context.clock.nowMs();
  const untilMs = nowMs + heldMs;
  const isOwn = await context.database.write(async (tx) => {
    await addPosition(tx, target.id, target.details.creationDate);
    return await claimPosition(tx, target.id, { holder, untilMs, nowMs });
  });
  return isOwn ? createProgress(ports, target, untilMs) : undefined;
}

function createProgress(ports: ProgressPorts, { id }: Target, heldUntilMs: number): Progress {
  const { clock } = ports.context;
  const none = { sequence: 0, attempts: 0, nextAttemptMs: 0, generation: -1 };
  let position: TargetPosition = { ...none, targetId: id, holder: ports.holder, heldUntilMs };
  let deliveries: TargetDelivery[] = [];
  let storedMs = 0;
  const writes = createWrites(ports, {
    take() {
      const due = deliveries;
      deliveries = [];
      storedMs = clock.nowMs();
      return { position, deliveries: due };
    },
    hold(untilMs) {
      position = { ...position, heldUntilMs: untilMs };
    },
  });
  const isStoreDue = () => {
    const sinceMs = clock.nowMs() - storedMs;
    return deliveries.length >= storeAtMost || sinceMs >= storeEveryMs || sinceMs < 0;
  };
  return {
    begin(stored) {
      if (writes.isLost()) return false;
      if (position.generation < 0) position = { ...stored, holder: ports.holder, heldUntilMs };
      return position.generation === stored.generation;
    },
    position: () => position,
    add(delivery, nextAttemptMs) {
      deliveries.push(delivery);
      const isDelivered = delivery.failure === undefined;
      position = isDelivered
        ? { ...position, sequence: delivery.sequence, attempts: 0, nextAttemptMs: 0 }
        : { ...position, attempts: delivery.attempts, nextAttemptMs };
      if (isDelivered && isStoreDue()) void writes.store();
    },
    passTo(sequence) {
      position = { ...position, sequence: Math.max(position.sequence, sequence) };
    },
    async isOwn() {
      if (position.heldUntilMs - clock.nowMs() < renewMs) await writes.store();
      return !writes.isLost();
    },
    store: writes.store,
    leave: writes.leave,
  };
}

/** Creates what writes the progress, one write after the other. After one that failed, or was refused, nothing more is written. */
function createWrites(
  { context: { database, clock }, holder }: ProgressPorts,
  state: {
    /** Returns the place and the deliveries to store; deliveries are returned once. */
    take(): { readonly position: TargetPosition; readonly deliveries: readonly TargetDelivery[] };
    hold(untilMs: number): void;
  },
) {
  let isLost = false;
  let failure: { readonly error: unknown } | undefined;
  let under: Promise<void> = Promise.resolve();
  let untrimmed = 0;
  const isTrimDue = (stored: number): boolean => {
    untrimmed = untrimmed > trimEvery ? 0 : untrimmed + stored;
    return untrimmed === 0;
  };
  const write = async (untilMs: number, also?: (tx: WriteTransaction) => Promise<void>) => {
    if (isLost) return;
    const { position, deliveries } = state.take();
    if (position.generation < 0) return; // it has not begun
    const next = { ...position, holder: untilMs === 0 ? "" : holder, heldUntilMs: untilMs };
    isLost = !(await database.write(async (tx) => {
      if (!(await putPosition(tx, holder, next))) return false;
      await putDeliveries(tx, position.targetId, deliveries);
      if (untilMs === 0 || isTrimDue(deliveries.length)) await deleteSurplusDeliveries(tx, position.targetId);
      if (also !== undefined && (await isStillActive(tx, position.targetId))) await also(tx);
      return true;
    }));
    if (!isLost) state.hold(untilMs);
  };
  const requireNoFailure = () => {
    if (failure !== undefined) throw failure.error;
  };
  return {
    isLost() {
      requireNoFailure();
      return isLost;
    },
    async store(): Promise<void> {
      under = under
        .then(() => write(clock.nowMs() + heldMs))
        .catch((error: unknown) => {
          isLost = true;
          failure = { error };
        });
      await under;
    },
    async leave(also?: (tx: WriteTransaction) => Promise<void>): Promise<boolean> {
      await under;
      requireNoFailure();
      await write(0, also);
      return !isLost;
    },
  };
}
