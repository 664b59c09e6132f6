import type { WriteTurns } from "./seat.ts";
import { writeUnavailable } from "./engine/storage-problem.ts";

/** How a process asks for the turn, and gives it back, at the process that gives turns to all. */
export interface TurnChannel {
  want(): void;
  free(): void;
}

/** What that process says. */
export interface TurnEvents {
  /** This process has the turn. `isWanted`: another one waits for it already. */
  onTurn(turn: { readonly isAfterLoss: boolean; readonly isWanted: boolean }): void;
  /** Another process waits for the turn of this one. */
  onWanted(): void;
  /** There are no more turns: those that wait are refused. */
  end(): void;
}

/** Something in this process that waits for the turn. */
type Waiting = PromiseWithResolvers<{ readonly isAfterLoss: boolean }>;

/**
 * Creates the turns of a process. Between two uses it keeps the turn unless another process wants it, so that a process that writes
 * alone asks nobody.
 */
export function createWriteTurns(channel: TurnChannel): WriteTurns & TurnEvents {
  const waiting: Waiting[] = [];
  let has: "nothing" | "asked" | "turn" | "ended" = "nothing";
  let isInUse = false;
  let isWanted = false;
  let isAfterLoss = false;
  /** How often the turn was used: if another process wants it, once. */
  let used = 0;
  const goOn = () => {
    if (has !== "turn" || isInUse) return;
    const isGivenBack = isWanted && used > 0;
    const next = isGivenBack ? undefined : waiting.shift();
    if (next !== undefined) {
      isInUse = true;
      used += 1;
      next.resolve({ isAfterLoss });
      isAfterLoss = false;
    } else if (isWanted) {
      has = "nothing";
      channel.free();
      if (waiting.length > 0) ask();
    }
  };
  const ask = () => {
    has = "asked";
    channel.want();
  };
  return {
    enter() {
      const place: Waiting = Promise.withResolvers();
      if (has === "ended") place.reject(noTurns());
      else waiting.push(place);
      if (has === "nothing") ask();
      goOn();
      return place.promise;
    },
    leave() {
      isInUse = false;
      goOn();
    },
    onTurn(turn) {
      if (has === "ended") return;
      ({ isAfterLoss, isWanted } = turn);
      has = "turn";
      used = 0;
      goOn();
    },
    onWanted() {
      isWanted = true;
      used = Math.max(used, 1); // it has had the turn since
      goOn();
    },
    end() {
      has = "ended";
      for (const place of waiting.splice(0)) place.reject(noTurns());
    },
  };
}

function noTurns(): Error {
  return writeUnavailable(new Error("the process that gives turns has ended"));
}
