import type { Socket } from "node:net";

/** Deals new connections out to workers. Each is kept here too until its worker says that it has it. */
export interface Dealer<Worker> {
  deal(socket: Socket): void;
  /** The worker takes connections from now on. */
  add(worker: Worker): void;
  /** The worker has said that it has the connection, or how many it has. */
  taken(worker: Worker, id: number, open: number): void;
  counted(worker: Worker, open: number): void;
  /** The worker has ended: what it did not get is dealt to others. */
  remove(worker: Worker): void;
  /** Returns for how long the worker has kept a connection waiting, in milliseconds; 0 if none waits. */
  waitsMs(worker: Worker, nowMs: number): number;
  /** Closes what nobody got. */
  close(): void;
}

interface Seat {
  open: number;
  readonly untaken: Map<number, Untaken>;
}

interface Untaken {
  readonly socket: Socket;
  readonly sinceMs: number;
}

/** A worker that keeps a connection waiting for so long gets no other one while there is one that does not. */
const slowMs = 100;

/** Creates the dealer. Without a worker connections wait, at most `maxWaiting`; further ones are closed. */
export function createDealer<Worker>(setup: {
  readonly send: (worker: Worker, id: number, socket: Socket) => void;
  readonly maxWaiting: number;
  readonly nowMs: () => number;
}): Dealer<Worker> {
  const seats = new Map<Worker, Seat>();
  const waiting: Socket[] = [];
  let lastId = 0;
  const give = (worker: Worker, { untaken }: Seat, socket: Socket) => {
    const id = ++lastId;
    untaken.set(id, { socket, sinceMs: setup.nowMs() });
    setup.send(worker, id, socket);
  };
  const deal = (socket: Socket) => {
    if (socket.destroyed) return;
    const chosen = choose(seats, setup.nowMs());
    if (chosen !== undefined) give(...chosen, socket);
    else if (waiting.length < setup.maxWaiting) waiting.push(socket);
    else socket.destroy();
  };
  return {
    deal,
    add(worker) {
      seats.set(worker, { open: 0, untaken: new Map() });
      for (const socket of waiting.splice(0)) deal(socket);
    },
    taken(worker, id, open) {
      const seat = seats.get(worker);
      if (seat === undefined) return;
      seat.open = open;
      seat.untaken.get(id)?.socket.destroy(); // only here: the worker has a descriptor of its own
      seat.untaken.delete(id);
    },
    counted(worker, open) {
      const seat = seats.get(worker);
      if (seat !== undefined) seat.open = open;
    },
    remove(worker) {
      const { untaken = [] } = seats.get(worker) ?? {};
      seats.delete(worker);
      for (const [, { socket }] of untaken) deal(socket);
    },
    waitsMs(worker, nowMs) {
      return waitOf(seats.get(worker), nowMs);
    },
    close() {
      for (const socket of waiting.splice(0)) socket.destroy();
    },
  };
}

/** Returns the worker with the fewest connections, of those that take them in time if there are such. */
function choose<Worker>(seats: ReadonlyMap<Worker, Seat>, nowMs: number): [Worker, Seat] | undefined {
  const all = [...seats];
  const quick = all.filter(([, seat]) => waitOf(seat, nowMs) < slowMs);
  const from = quick.length > 0 ? quick : all;
  return from.toSorted(([, a], [, b]) => loadOf(a) - loadOf(b))[0];
}

function loadOf({ open, untaken }: Seat): number {
  return open + untaken.size;
}

function waitOf(seat: Seat | undefined, nowMs: number): number {
  const [first] = seat?.untaken.values() ?? [];
  return first === undefined ? 0 : nowMs - first.sinceMs;
}
