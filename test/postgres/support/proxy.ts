import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { createMessageReader } from "./messages.ts";

/** Stands between a process and a server of PostgreSQL, on a port of its own, and breaks what passes. */
export interface Proxy {
  readonly port: number;
  /** Adds so many milliseconds to each round trip, from now on. */
  delay(roundTripMs: number): void;
  /** Closes every connection, and refuses new ones until `mend`. */
  cut(): void;
  /** Keeps everything that comes, on old and new connections, until `mend`. */
  freeze(): void;
  /** Ends `cut` and `freeze`, and passes on what was kept. */
  mend(): void;
  /**
   * Keeps the answer to the next COMMIT that succeeds and has changed something, and closes its connection instead. Resolves
   * when that has happened.
   */
  swallowCommit(): Promise<void>;
  /**
   * Returns how often a client has sent something after it had received an answer to what it sent before: as many round trips
   * as were waited for, one after the other, on all connections together.
   */
  roundTrips(): number;
  close(): Promise<void>;
}

/** One connection of a client, with its connection to the server. */
interface Link {
  readonly client: Pipe;
  readonly server: Pipe;
  close(): void;
}

/** One direction of a link. */
interface Pipe {
  /** Passes on what was kept. */
  flush(): void;
}

interface State {
  delayMs: number;
  isFrozen: boolean;
  roundTrips: number;
  /** Called with the next COMMIT that succeeds. */
  onCommit: (() => void) | undefined;
}

/** Starts a proxy to a port of loopback. */
export async function startProxy(targetPort: number): Promise<Proxy> {
  const state: State = { delayMs: 0, isFrozen: false, roundTrips: 0, onCommit: undefined };
  const links = new Set<Link>();
  let isCut = false;
  const closeAll = () => {
    for (const link of links) link.close();
  };
  const server = createServer({ noDelay: true }, (socket) => {
    if (isCut) {
      socket.resetAndDestroy();
      return;
    }
    const link = createLink(
      socket,
      connect({ port: targetPort, host: "127.0.0.1", noDelay: true }),
      state,
      () => links.delete(link),
    );
    links.add(link);
  });
  const port = await listen(server);
  return {
    port,
    delay(roundTripMs) {
      state.delayMs = roundTripMs;
    },
    cut() {
      isCut = true;
      closeAll();
    },
    freeze() {
      state.isFrozen = true;
    },
    mend() {
      isCut = false;
      state.isFrozen = false;
      for (const { client, server: answers } of links) {
        client.flush();
        answers.flush();
      }
    },
    swallowCommit: () =>
      new Promise((resolve) => {
        state.onCommit = resolve;
      }),
    roundTrips: () => state.roundTrips,
    async close() {
      closeAll();
      server.close();
      await once(server, "close");
    },
  };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return address.port;
}

function createLink(client: Socket, server: Socket, state: State, onClose: () => void): Link {
  let isOpen = true;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    client.resetAndDestroy();
    server.resetAndDestroy();
    onClose();
  };
  for (const socket of [client, server]) socket.on("error", close);
  let hasAnswer = true; // before the first message
  const reader = createMessageReader();
  return {
    // The whole delay is on the way to the server: a client knows no difference.
    client: createPipe(client, server, {
      state,
      delayMs: () => state.delayMs,
      onEnd: close,
      onData(chunk) {
        if (hasAnswer) state.roundTrips += 1;
        hasAnswer = false;
        reader.sent(chunk);
        return chunk;
      },
    }),
    server: createPipe(server, client, {
      state,
      delayMs: () => 0,
      onEnd: close,
      onData(chunk) {
        hasAnswer = true;
        const { onCommit } = state;
        const at = reader.findCommit(chunk);
        if (at === undefined || onCommit === undefined) return chunk;
        state.onCommit = undefined;
        setImmediate(() => {
          close();
          onCommit();
        });
        return chunk.subarray(0, at);
      },
    }),
    close,
  };
}

interface Piping {
  readonly state: State;
  delayMs(): number;
  /** Sees what comes, and returns what is passed on. */
  onData(chunk: Buffer): Buffer;
  onEnd(): void;
}

/** Passes on what comes, in order: later when there is a delay, and not before `flush` when it is frozen. */
function createPipe(from: Socket, to: Socket, { state, delayMs, onData, onEnd }: Piping): Pipe {
  const queue: { readonly dueMs: number; readonly act: () => void }[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    for (let first = queue[0]; first !== undefined && !state.isFrozen; first = queue[0]) {
      const leftMs = first.dueMs - performance.now();
      if (leftMs > 0) {
        timer = setTimeout(flush, leftMs);
        return;
      }
      queue.shift();
      first.act();
    }
  };
  const pass = (act: () => void) => {
    queue.push({ dueMs: performance.now() + delayMs(), act });
    if (timer === undefined) flush();
  };
  from.on("data", (chunk: Buffer) => {
    const rest = onData(chunk);
    if (rest.length > 0) pass(() => to.write(rest));
  });
  // An end is on its way for a while, too, and does not pass what is frozen.
  from.on("close", () => pass(onEnd));
  return { flush };
}
