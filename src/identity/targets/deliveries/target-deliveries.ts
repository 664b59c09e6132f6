import type { Leadership } from "../../../kernel/base/leadership.ts";
import { createRepeated, type OutboxSender } from "../../outbox-sender.ts";
import { createTargetFollower } from "./follower.ts";
import { createKnownTargets } from "./known-targets.ts";
import { createRunners } from "./runners.ts";
import type { SessionPorts } from "./session.ts";

/** What deliveries are made with. */
export interface TargetDeliveriesSetup extends Omit<SessionPorts, "watch" | "holder"> {
  readonly context: SessionPorts["context"];
  readonly leadership: Leadership;
  /** The tables that decide which caller a token stands for and what that caller may do. */
  readonly accessTables: readonly string[];
  /** Called with errors of the storage; the deliveries go on. */
  readonly onError: (error: unknown, targetId: string | undefined) => void;
}

/** How often it compares the clock with what is due, which costs no query. */
const tickMs = 500;
/** In so many ticks it looks whether another process has changed targets. */
const ticksPerLook = 4;
/** The leader begins at once; the others only if it does not. */
const afterLeaderMs = 3000;

/**
 * Creates what delivers events to targets, after their commit: each process sees them, and one of them at a time delivers for a target.
 * Nothing is done until it is started. At the end, attempts that last longer than `timeUp` are broken off, and made again by a later process.
 */
export function createTargetDeliveries(setup: TargetDeliveriesSetup): OutboxSender {
  const { leadership, onError } = setup;
  const { database } = setup.context;
  const watch = database.watch([...setup.accessTables, "targets", "removed_organizations"]);
  const holder = Buffer.from(setup.random.bytes(16)).toString("base64url");
  const targets = createKnownTargets(setup.instanceId);
  const breakOff = new AbortController();
  let isStopped = false;
  const runners = createRunners({ ...setup, watch, holder }, targets, {
    isStopped: () => isStopped,
    signal: breakOff.signal,
    afterMs: () => (leadership.term() === undefined ? afterLeaderMs : 0),
    onError,
  });
  const follower = createTargetFollower(database, watch, {
    targets,
    onTargets(ids) {
      commits.hearOthers(!targets.isEmpty());
      runners.refresh(ids);
    },
    onEvents: runners.wake,
  });
  const looks = createRepeated(async () => {
    if (isStopped) return;
    try {
      if (await follower.look()) setImmediate(looks.begin);
    } catch (error) {
      onError(error, undefined);
    }
  });
  const onCommit = () => {
    if (follower.mayHaveNews()) setImmediate(looks.begin); // after the answers to the calls of that commit
  };
  const commits = createCommitListener(database, onCommit);
  const tick = (ticks: number): void => {
    runners.tick(setup.context.clock.nowMs());
    if (ticks % ticksPerLook !== 0) return;
    const learned = database.refresh();
    if (learned !== undefined) learned.then(looks.begin, (error: unknown) => onError(error, undefined));
    else if (!follower.isCurrent()) looks.begin();
  };
  let timer: NodeJS.Timeout | undefined;
  return {
    start() {
      commits.start();
      let ticks = 0;
      timer = setInterval(() => tick((ticks += 1)), tickMs).unref();
      looks.begin();
    },
    async stop(timeUp) {
      isStopped = true;
      clearInterval(timer);
      await looks.ended();
      commits.stop();
      await Promise.race([runners.ended(), timeUp]);
      breakOff.abort();
      await runners.ended();
    },
  };
}

/** Listens to commits. Those of other processes cost a look into the database each, so nobody hears them without a target. */
function createCommitListener(
  database: Pick<SessionPorts["context"]["database"], "onCommit" | "onOwnCommit">,
  onCommit: () => void,
) {
  let unlistenOwn = () => {};
  let unlistenOthers: (() => void) | undefined;
  const endOthers = () => {
    unlistenOthers?.();
    unlistenOthers = undefined;
  };
  return {
    start() {
      unlistenOwn = database.onOwnCommit(onCommit);
    },
    hearOthers(isNeeded: boolean) {
      if (isNeeded) unlistenOthers ??= database.onCommit(onCommit);
      else endOthers();
    },
    stop() {
      unlistenOwn();
      endOthers();
    },
  };
}
