import { isatty } from "node:tty";

/** Ctrl-C reaches the whole process group, and npm passes it on again: two signals within this time count as one. */
const sameKeyMs = 500;

/** What signals have asked the process to do. */
export interface Signals {
  /** Resolves with the name of the signal that requested an orderly stop. */
  readonly stop: Promise<string>;
  /** Returns whether that has happened. */
  isStopAsked(): boolean;
}

/**
 * Listens for the signals of an operator. SIGTERM and SIGINT request an orderly stop, and so does SIGHUP when stdin
 * is a terminal, because then the terminal was closed. Another SIGTERM or SIGINT after that ends the process at once,
 * with code 1. Any other SIGHUP calls `onReload`.
 */
export function listenForSignals(onReload: () => void): Signals {
  const isTerminal = isatty(0); // not process.stdin, which would open it
  let asked: string | undefined;
  let isSameKey = false;
  let resolveStop: (name: string) => void = () => {};
  const stop = new Promise<string>((resolve) => {
    resolveStop = resolve;
  });
  const onStop = (name: string) => {
    if (asked === undefined) {
      asked = name;
      isSameKey = true;
      setTimeout(() => {
        isSameKey = false;
      }, sameKeyMs).unref();
      resolveStop(name);
    } else if (!(isSameKey && name === "SIGINT" && asked === name)) process.exit(1);
  };
  process.on("SIGTERM", onStop);
  process.on("SIGINT", onStop);
  process.on("SIGHUP", (name) => {
    if (!isTerminal) onReload();
    else if (asked === undefined) onStop(name);
  });
  return { stop, isStopAsked: () => asked !== undefined };
}
