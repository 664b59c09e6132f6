import type { Database } from "../kernel/base/database.ts";
import type { Leadership } from "../kernel/base/leadership.ts";

/** The tries of a process to send what rows of the database ask for, a round of which begins with each look into it. */
export interface OutboxRounds {
  /** Looks for rows that are due, and begins to send what they ask for. Returns at once. */
  look(): void;
  /** Says, without a look, whether a row that this process knows of is due, and there is a place to send it. */
  isDue(): boolean;
  /** Begins nothing any more, and resolves when all tries under way have ended, or are left to a later process. */
  stop(timeUp: Promise<unknown>): Promise<void>;
}

/**
 * Sends what commits have left in a table, after the commit. Each process sends what it has committed itself; the leader also finds
 * what others have left. The rounds claim a row in the database before they send, so that no two processes send it.
 */
export interface OutboxSender {
  /** Sends what is due, and from then on whatever comes to be due. */
  start(): void;
  /** As that of the rounds. */
  stop: OutboxRounds["stop"];
}

/** What the sender works with. */
export interface OutboxSenderSetup {
  readonly database: Pick<Database, "watchOwn" | "onOwnCommit">;
  readonly leadership: Leadership;
  /** Each commit that leaves something writes to one of these. */
  readonly tables: readonly string[];
}

/** How often it compares the clock with the next try, which costs no query. */
const tickMs = 500;
/** The leader looks into the database once in so many ticks. */
const ticksPerLook = 10;

/** Creates the sender, which does nothing until it is started. */
export function createOutboxSender(
  rounds: OutboxRounds,
  { database, leadership, tables }: OutboxSenderSetup,
): OutboxSender {
  const written = database.watchOwn(tables);
  let seen = written.committed();
  let end = () => {};
  const onCommit = () => {
    const now = written.committed();
    if (now === seen) return;
    seen = now;
    setImmediate(rounds.look); // after the answers to the calls of that commit
  };
  return {
    start() {
      const unlisten = database.onOwnCommit(onCommit);
      let ticks = 0;
      const timer = setInterval(() => {
        ticks += 1;
        const isLeadersTurn = ticks % ticksPerLook === 0 && leadership.term() !== undefined;
        if (isLeadersTurn || rounds.isDue()) rounds.look();
      }, tickMs).unref();
      end = () => {
        unlisten();
        clearInterval(timer);
      };
      rounds.look();
    },
    async stop(timeUp) {
      end();
      await rounds.stop(timeUp);
    },
  };
}

/** Wraps work that never rejects, so that it runs once at a time: asked for meanwhile, it runs once more. */
export function createRepeated(work: () => Promise<void>) {
  let running: Promise<void> | undefined;
  let isWanted = false;
  const run = async (): Promise<void> => {
    while (isWanted) {
      isWanted = false;
      await work();
    }
    running = undefined;
  };
  return {
    begin() {
      isWanted = true;
      running ??= run();
    },
    isUnderWay: () => running !== undefined,
    ended: async () => await running,
  };
}
