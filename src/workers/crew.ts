import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { createDealer } from "./dealer.ts";
import { createMetricsDesk } from "./metrics-desk.ts";
import { type FromWorker, lostWriteCode, type WorkerOrder } from "./messages.ts";
import { isStopped } from "./process-state.ts";
import { createTurnTable } from "./turn-table.ts";
import { createWorker, type Worker, type WorkerEnd } from "./worker.ts";

/** The workers of a service. */
export interface Crew {
  /**
   * Begins the first worker, and the others once it serves. Resolves when all serve, or else when the first one has ended before.
   */
  start(): Promise<{ readonly signUpUrl: string | undefined } | WorkerEnd>;
  /** Hands a new connection to one of them. */
  take(socket: Socket): void;
  reload(): void;
  /** Lets all stop in their own time. Resolves when they have ended. */
  stop(): Promise<void>;
  /** Ends all at once. */
  kill(): void;
}

/** What workers are begun with, and who learns of their ends. */
export interface CrewOptions {
  readonly order: Omit<WorkerOrder, "slot" | "isFirst">;
  readonly maxWaitingConnections: number;
  /** Begins a process of this program with a channel. */
  readonly begin: () => ChildProcess;
  /** Called when a worker has ended unasked; another one takes its slot. */
  readonly onEnd: (slot: number, end: WorkerEnd) => void;
  /** Called when a worker that was stopped by a signal, or stuck, is ended. */
  readonly onKill: (slot: number, reason: "stopped" | "stuck") => void;
  /** Called when a disk did not confirm a commit. Must end the process. */
  readonly onLostWrite: () => void;
  readonly nowMs: () => number;
}

const lookEveryMs = 125;
const looksPerPing = 4;
/** A worker that has said nothing for so long, or has not taken a connection, may have been stopped. */
const silentMs = 800;
const untakenMs = 250;
/** A worker whose event loop stands still for so long is of no use: it may have the turn. */
const stuckMs = 15_000;
/** A worker that ends sooner is begun again after a pause. */
const shortLifeMs = 5000;
const pauseMs = 1000;

/** Creates a crew without workers. */
export function createCrew(options: CrewOptions): Crew {
  const crew = new WorkerCrew(options);
  return {
    start: () => crew.start(),
    take: (socket) => crew.take(socket),
    reload: () => crew.reload(),
    stop: () => crew.stop(),
    kill: () => crew.kill(),
  };
}

class WorkerCrew implements Crew {
  readonly #options: CrewOptions;
  readonly #workers = new Set<Worker>();
  readonly #serving = new Map<number, PromiseWithResolvers<string | undefined>>();
  readonly #turns = createTurnTable<Worker>({
    give: (worker, turn) => worker.send({ kind: "turn", ...turn }),
    wanted: (worker) => worker.send({ kind: "turn-wanted" }),
  });
  readonly #dealer;
  readonly #metrics;
  #leader: Worker | undefined;
  #isStarted = false;
  #isStopping = false;
  readonly #stopAsked = Promise.withResolvers<void>();
  #looks = 0;
  #lookedMs = 0;
  #looking: NodeJS.Timeout | undefined;

  constructor(options: CrewOptions) {
    this.#options = options;
    this.#dealer = createDealer<Worker>({
      send: (worker, id, socket) => worker.sendConnection(id, socket),
      maxWaiting: options.maxWaitingConnections,
      nowMs: options.nowMs,
    });
    this.#metrics = createMetricsDesk(() => [...this.#workers].filter(({ isServing }) => isServing));
  }

  async start(): ReturnType<Crew["start"]> {
    this.#looking = setInterval(() => this.#look(), lookEveryMs);
    const first = this.#begin(0, true);
    const served = await Promise.race([this.#servingOf(0).promise, first.ended]);
    if (typeof served === "object") return served;
    this.#isStarted = true;
    const others = Array.from({ length: this.#options.order.count - 1 }, (_none, index) => index + 1);
    for (const slot of others) this.#begin(slot, false);
    const all = others.map((slot) => this.#servingOf(slot).promise);
    await Promise.race([Promise.all(all), this.#stopAsked.promise]);
    return { signUpUrl: served };
  }

  take(socket: Socket): void {
    if (this.#isStopping) socket.destroy();
    else this.#dealer.deal(socket);
  }

  reload(): void {
    for (const worker of this.#workers) worker.send({ kind: "reload" });
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#stopAsked.resolve();
    this.#dealer.close();
    for (const worker of this.#workers) worker.send({ kind: "stop" });
    await Promise.all([...this.#workers].map(({ ended }) => ended));
    clearInterval(this.#looking);
  }

  kill(): void {
    for (const worker of this.#workers) worker.kill();
  }

  #servingOf(slot: number): PromiseWithResolvers<string | undefined> {
    const known = this.#serving.get(slot) ?? Promise.withResolvers<string | undefined>();
    this.#serving.set(slot, known);
    return known;
  }

  #begin(slot: number, isFirst: boolean): Worker {
    const { order, begin, nowMs } = this.#options;
    const worker = createWorker(begin(), {
      order: { ...order, slot, isFirst },
      nowMs,
      onMessage: (from, message) => this.#onMessage(from, message),
    });
    this.#workers.add(worker);
    const sinceMs = nowMs();
    void worker.ended.then((end) => this.#onEnd(worker, end, nowMs() - sinceMs));
    return worker;
  }

  async #onEnd(worker: Worker, end: WorkerEnd, livedMs: number): Promise<void> {
    this.#workers.delete(worker);
    this.#turns.gone(worker);
    this.#dealer.remove(worker);
    this.#metrics.gone(worker);
    if (this.#leader === worker) this.#appoint();
    if (end.code === lostWriteCode) return this.#options.onLostWrite();
    if (this.#isStopping || !this.#isStarted) return; // `start` returns how the first one has ended
    this.#options.onEnd(worker.slot, end);
    if (livedMs < shortLifeMs) await pause(pauseMs);
    if (!this.#isStopping) this.#begin(worker.slot, false);
  }

  #appoint(): void {
    this.#leader = [...this.#workers].find(({ isServing }) => isServing);
    this.#leader?.send({ kind: "lead" });
  }

  #onMessage(worker: Worker, message: FromWorker): void {
    switch (message.kind) {
      case "serving":
        worker.isServing = true;
        if (this.#leader === undefined) this.#appoint();
        if (this.#isStopping) return worker.send({ kind: "stop" });
        this.#dealer.add(worker);
        return this.#servingOf(worker.slot).resolve(message.signUpUrl);
      case "taken":
        return this.#dealer.taken(worker, message.id, message.open);
      case "pong":
        return this.#dealer.counted(worker, message.open);
      case "turn-want":
        return this.#turns.want(worker);
      case "turn-free":
        return this.#turns.free(worker);
      case "metrics-wanted":
      case "metrics":
        return this.#metrics.onMessage(worker, message);
    }
  }

  /** Ends workers that cannot serve: one that was stopped may have the turn, and connections that nobody else has. */
  #look(): void {
    const nowMs = this.#options.nowMs();
    const hasStoodStill = nowMs - this.#lookedMs > silentMs;
    this.#lookedMs = nowMs;
    if (hasStoodStill) return; // this process itself: what workers have said since is not read yet
    const isPing = this.#looks++ % looksPerPing === 0;
    for (const worker of this.#workers) {
      const quietMs = nowMs - worker.heardMs;
      const isQuiet = quietMs > silentMs || this.#dealer.waitsMs(worker, nowMs) > untakenMs;
      if (isQuiet && isStopped(worker.pid)) this.#kill(worker, "stopped");
      else if (worker.isServing && quietMs > stuckMs) this.#kill(worker, "stuck");
      else if (isPing) worker.send({ kind: "ping" });
    }
  }

  #kill(worker: Worker, reason: "stopped" | "stuck"): void {
    this.#options.onKill(worker.slot, reason);
    worker.kill();
  }
}
