import type { AppParts } from "../../src/app/app.ts";
import { createSoleLeadership } from "../../src/kernel/base/leadership.ts";
import type { Seat } from "../../src/kernel/storage/seat.ts";
import { createWriteTurns, type TurnEvents } from "../../src/kernel/storage/write-turns.ts";
import { createTurnTable } from "../../src/workers/turn-table.ts";

/** Returns seats for so many services of this process, which share a data folder as if they were processes. The first one leads. */
export function createSeats(count: number): readonly Seat[] {
  const told = (tell: () => void) => setImmediate(tell); // as a message
  const table = createTurnTable<TurnEvents>({
    give: (worker, turn) => told(() => worker.onTurn(turn)),
    wanted: (worker) => told(() => worker.onWanted()),
  });
  return Array.from({ length: count }, (_none, slot) => {
    const turns: ReturnType<typeof createWriteTurns> = createWriteTurns({
      want: () => told(() => table.want(turns)),
      free: () => told(() => table.free(turns)),
    });
    return { slot, turns, leadership: slot === 0 ? createSoleLeadership() : { term: () => undefined } };
  });
}

/** Returns what a service with the seat shares with the others. It listens itself. */
export function sharedAt(seat: Seat): NonNullable<AppParts["shared"]> {
  return {
    isFirst: seat.slot === 0,
    seat,
    metrics: { tell() {}, join: async (own) => own },
    count() {},
  };
}
