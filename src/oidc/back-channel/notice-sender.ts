import type { Leadership } from "../../base/leadership.ts";
import { createNoticeRounds, type NoticeRounds, type NoticeRoundsSetup } from "./notice-rounds.ts";

/**
 * Tells applications that sessions have ended, after the commit that ended them. Each process sends what it has committed itself; the
 * leader also finds what others have left. A notice is claimed in the database before it is sent, so that no two processes send it.
 */
export interface NoticeSender {
  /** Sends what is due, and from then on whatever comes to be due. */
  start(): void;
  /** As that of the rounds. */
  stop: NoticeRounds["stop"];
}

/** What the sender works with. */
export interface NoticeSenderSetup extends NoticeRoundsSetup {
  readonly leadership: Leadership;
}

/** How often it compares the clock with the next try, which costs no query. */
const tickMs = 500;
/** The leader looks into the database once in so many ticks. */
const ticksPerLook = 10;

/** Creates the sender, which does nothing until it is started. */
export function createNoticeSender(setup: NoticeSenderSetup): NoticeSender {
  const { database } = setup.context;
  const ended = database.watchOwn(["sessions"]); // each end of a session writes there
  const rounds = createNoticeRounds(setup);
  let seen = ended.committed();
  let end = () => {};
  const onCommit = () => {
    const now = ended.committed();
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
        const isLeadersTurn = ticks % ticksPerLook === 0 && setup.leadership.term() !== undefined;
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
