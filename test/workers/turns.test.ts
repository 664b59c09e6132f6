import { beforeEach, describe, expect, test } from "@jest/globals";
import { createWriteTurns } from "../../src/kernel/storage/write-turns.ts";
import { createTurnTable, type TurnTable } from "../../src/workers/turn-table.ts";

type Turns = ReturnType<typeof createWriteTurns>;

let messages: string[];
let table: TurnTable<Turns>;
let workers: readonly Turns[];

beforeEach(() => {
  messages = [];
  const named = (turns: Turns) => workers.indexOf(turns);
  table = createTurnTable<Turns>({
    give(worker, turn) {
      messages.push(`give ${named(worker)}${turn.isAfterLoss ? " after a loss" : ""}`);
      worker.onTurn(turn);
    },
    wanted(worker) {
      messages.push(`wanted ${named(worker)}`);
      worker.onWanted();
    },
  });
  workers = ["a", "b", "c"].map(() => {
    const turns: Turns = createWriteTurns({ want: () => table.want(turns), free: () => table.free(turns) });
    return turns;
  });
});

/** Enters, and notes who did. */
async function enter(index: number, order: number[] = []): Promise<{ readonly isAfterLoss: boolean }> {
  const entered = await workers[index]?.enter();
  order.push(index);
  return entered ?? { isAfterLoss: false };
}
const leave = (index: number) => workers[index]?.leave();
const settle = () => new Promise(setImmediate);

test("a process that writes alone asks once", async () => {
  for (let count = 0; count < 3; count++) {
    await enter(0);
    leave(0);
  }
  expect(messages).toEqual(["give 0"]);
});

test("nobody enters while another one is in its turn, in the same process or elsewhere", async () => {
  const order: number[] = [];
  await enter(0, order);
  const others = [enter(0, order), enter(1, order), enter(2, order)];
  await settle();
  expect(order).toEqual([0]);
  for (const index of [0, 1, 2]) {
    leave(index);
    await settle();
  }
  expect(order).toEqual([0, 1, 2, 0]); // one of each process, then those that ask again
  await Promise.all(others);
});

describe("a process that ends in its turn", () => {
  test("hands it on, and the next one learns of the loss, once", async () => {
    const [first, second] = workers;
    await enter(0);
    const next = enter(1);
    if (first !== undefined) table.gone(first);
    expect(await next).toEqual({ isAfterLoss: true });
    leave(1);
    expect(await enter(1)).toEqual({ isAfterLoss: false });
    expect(second).toBeDefined();
  });

  test("before it had it, is not waited for", async () => {
    await enter(0);
    void enter(1);
    const next = enter(2);
    if (workers[1] !== undefined) table.gone(workers[1]);
    leave(0);
    expect(await next).toEqual({ isAfterLoss: false });
  });
});

test("without the process that gives turns nobody waits for one", async () => {
  await enter(0);
  const waiting = enter(1);
  workers[1]?.end();
  await expect(waiting).rejects.toMatchObject({ reason: "OVERLOADED" });
  await expect(enter(1)).rejects.toMatchObject({ reason: "OVERLOADED" });
});
