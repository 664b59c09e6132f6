import type { Socket } from "node:net";
import type { Message } from "ldapts";
import { type DirectoryAnswer, readAnswer } from "./answer.ts";
import { BerError } from "./ber.ts";
import { createMessageBuffer } from "./message-buffer.ts";
import type { DirectoryLimits } from "../../base/directory/directory.ts";
import { DirectoryError } from "../../base/directory/directory-error.ts";
import type { DirectoryEntry } from "../../base/directory/entry.ts";

/** What came for a request. */
export interface ServerAnswer {
  readonly entries: readonly DirectoryEntry[];
  readonly code: number;
  readonly cookie: Buffer | undefined;
}

/**
 * Sends a request, made with the id of its message, and waits for its end, which has the tag. One at a time. Raises a DirectoryError
 * when the connection ends before, or something else comes.
 */
export type AskServer = (request: (messageId: number) => Message, tag: number) => Promise<ServerAnswer>;

/** Requests and answers over one socket. */
export interface ServerExchange {
  readonly ask: AskServer;
  /** Leaves the socket to somebody else. */
  detach(): void;
}

/** Creates the exchange of a connected socket. */
export function createExchange(
  socket: Socket,
  { maxBytes }: Pick<DirectoryLimits, "maxBytes">,
): ServerExchange {
  let waiting: Waiting | undefined;
  let lastId = 0;
  let received = 0;
  const buffer = createMessageBuffer();
  let ending: DirectoryError | undefined;
  const fail = (detail: string) => {
    ending ??= new DirectoryError("unreachable", detail);
    socket.destroy();
    waiting?.reject(ending);
    waiting = undefined;
  };
  const take = (answer: DirectoryAnswer) => {
    if (waiting === undefined || answer.id !== waiting.id) return fail("an answer that nobody asked for");
    if (answer.kind === "entry") waiting.entries.push(answer.entry);
    if (answer.kind !== "result") return undefined;
    if (answer.tag !== waiting.tag) return fail("an answer to something else");
    const { resolve, entries } = waiting;
    waiting = undefined;
    return resolve({ entries, code: answer.code, cookie: answer.cookie });
  };
  const onData = (data: Buffer) => {
    received += data.length;
    if (received > maxBytes) return fail("too many bytes");
    try {
      for (const message of buffer.take(data)) take(readAnswer(message));
      return undefined;
    } catch (error) {
      if (!(error instanceof BerError)) throw error;
      return fail("bytes that are not LDAP");
    }
  };
  const onClose = () => fail("no answer");
  socket.on("data", onData);
  socket.on("close", onClose);
  return {
    async ask(request, tag) {
      if (ending !== undefined) throw ending;
      const id = ++lastId;
      const { promise, resolve, reject } = Promise.withResolvers<ServerAnswer>();
      waiting = { id, tag, entries: [], resolve, reject };
      socket.write(request(id).write());
      return await promise;
    },
    detach() {
      socket.off("data", onData);
      socket.off("close", onClose);
    },
  };
}

interface Waiting {
  readonly id: number;
  readonly tag: number;
  readonly entries: DirectoryEntry[];
  readonly resolve: (answer: ServerAnswer) => void;
  readonly reject: (error: DirectoryError) => void;
}
