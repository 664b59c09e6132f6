import { beforeEach, expect, test } from "@jest/globals";
import type { Socket } from "node:net";
import { createDealer, type Dealer } from "../../src/workers/dealer.ts";

let nowMs: number;
let sent: { readonly worker: string; readonly id: number; readonly socket: Socket }[];
let dealer: Dealer<string>;

beforeEach(() => {
  nowMs = 0;
  sent = [];
  dealer = createDealer<string>({
    send: (worker, id, socket) => sent.push({ worker, id, socket }),
    maxWaiting: 2,
    nowMs: () => nowMs,
  });
});

/** Only what is asked of a connection. */
function connection(): Socket {
  const socket = {
    destroyed: false,
    destroy() {
      socket.destroyed = true;
    },
  };
  return socket as unknown as Socket;
}

const dealt = () => sent.map(({ worker }) => worker);
const takeAll = (open: number) => {
  for (const { worker, id } of sent) dealer.taken(worker, id, open);
};

test("a connection goes to the worker with the fewest", () => {
  dealer.add("a");
  dealer.add("b");
  for (let count = 0; count < 4; count++) dealer.deal(connection());
  expect(dealt()).toEqual(["a", "b", "a", "b"]);
  takeAll(2);
  dealer.counted("b", 0);
  dealer.deal(connection());
  dealer.deal(connection());
  expect(dealt().slice(4)).toEqual(["b", "b"]);
});

test("it is kept until it is taken, and goes to another worker when the first one ends before", () => {
  dealer.add("a");
  dealer.add("b");
  const [kept, lost] = [connection(), connection()];
  dealer.deal(kept);
  dealer.deal(lost);
  dealer.taken("a", sent[0]?.id ?? 0, 1);
  expect([kept.destroyed, lost.destroyed]).toEqual([true, false]);
  dealer.remove("b");
  expect(sent.at(-1)).toMatchObject({ worker: "a", socket: lost });
});

test("a worker that does not take one gets no other, and it is known for how long", () => {
  dealer.add("a");
  dealer.add("b");
  dealer.deal(connection());
  nowMs = 150;
  for (let count = 0; count < 3; count++) dealer.deal(connection());
  expect(dealt()).toEqual(["a", "b", "b", "b"]);
  expect([dealer.waitsMs("a", nowMs), dealer.waitsMs("b", nowMs)]).toEqual([150, 0]);
});

test("without a worker connections wait, so many at most", () => {
  const all = [connection(), connection(), connection()];
  for (const socket of all) dealer.deal(socket);
  expect(all.map(({ destroyed }) => destroyed)).toEqual([false, false, true]);
  dealer.add("a");
  expect(dealt()).toEqual(["a", "a"]);
});
