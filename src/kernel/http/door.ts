import type { Socket } from "node:net";

/** Brings connections that another process has accepted. */
export interface Door {
  /** Where that process listens. */
  readonly host: string;
  readonly port: number;
  /** Calls `take` with each connection from now on. Nothing of it has been read. */
  open(take: (socket: Socket) => void): void;
  /** Closes connections that still come. */
  close(): void;
}
