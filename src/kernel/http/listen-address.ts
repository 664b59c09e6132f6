import { once } from "node:events";
import { createServer } from "node:net";

/** The address that a service listens on. */
export interface Address {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

/** Tells the person who started the process why it cannot listen on an address, and what to do. */
class ListenError extends Error {
  /** The code of the operating system, such as EADDRINUSE. */
  readonly code: string;

  constructor(message: string, code: string, cause: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/**
 * Listens on the address for a moment before a start creates anything, so that a start that cannot listen leaves
 * nothing behind. Another process may still take the address afterwards. Throws ListenError.
 */
export async function requireFreeAddress(address: Address): Promise<void> {
  const server = createServer((socket) => socket.destroy());
  server.listen({ ...address, exclusive: true });
  await explainListenError(once(server, "listening"), address);
  server.close();
  await once(server, "close");
}

/** Waits for a server to listen on the address. Turns errors that somebody can do something about into a ListenError. */
export async function explainListenError<T>(listening: Promise<T>, address: Address): Promise<T> {
  try {
    return await listening;
  } catch (error) {
    throw toListenError(error, address);
  }
}

function toListenError(error: unknown, { host, port }: Address): unknown {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return error;
  const advice = advices[error.code];
  if (advice === undefined) return error;
  const name = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return new ListenError(`--listen ${name}: ${advice}`, error.code, error);
}

const advices: Readonly<Record<string, string>> = {
  EADDRINUSE: "another process listens there; stop it, or choose another port",
  EACCES: "this user may not listen on that port; choose one from 1024 up",
  EADDRNOTAVAIL: "this machine does not have that address; 0.0.0.0 or [::] means all of its addresses",
  EAFNOSUPPORT: "this machine does not support that version of IP; choose another address",
  EINVAL: "that is no address to listen on; choose one of this machine",
  ENOTFOUND: "the host name does not resolve; give an address of this machine",
  EAI_AGAIN: "the host name does not resolve at the moment; give an address of this machine",
};
