/** Gives the turn at writing to one of several processes, in the order in which they ask. */
export interface TurnTable<Worker> {
  want(worker: Worker): void;
  free(worker: Worker): void;
  /** The process has ended, perhaps in its turn. */
  gone(worker: Worker): void;
}

/** How processes learn of it. */
export interface TurnNotices<Worker> {
  /** `isAfterLoss`: the one before has ended in its turn. `isWanted`: another one waits. */
  give(worker: Worker, turn: { readonly isAfterLoss: boolean; readonly isWanted: boolean }): void;
  /** Another one wants the turn of this one. Said once in a turn. */
  wanted(worker: Worker): void;
}

/** Creates the table; nobody has the turn. */
export function createTurnTable<Worker>(notices: TurnNotices<Worker>): TurnTable<Worker> {
  const waiting: Worker[] = [];
  let holder: Worker | undefined;
  let isLost = false;
  const giveNext = () => {
    holder = waiting.shift();
    if (holder === undefined) return;
    const turn = { isAfterLoss: isLost, isWanted: waiting.length > 0 };
    isLost = false;
    notices.give(holder, turn);
  };
  return {
    want(worker) {
      waiting.push(worker);
      if (holder === undefined) giveNext();
      else if (waiting.length === 1) notices.wanted(holder);
    },
    free(worker) {
      if (holder === worker) giveNext();
    },
    gone(worker) {
      const index = waiting.indexOf(worker);
      if (index !== -1) waiting.splice(index, 1);
      if (holder !== worker) return;
      isLost = true;
      giveNext();
    },
  };
}
