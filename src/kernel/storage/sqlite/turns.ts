/** Turns at a connection that reads and writes share: reads together, or one write alone. */
export interface Turns {
  /** Resolves when a read may begin; undefined: at once. It must be ended. */
  read(): Promise<void> | undefined;
  endRead(): void;
  /** Resolves when no read and no other write is under way. It must be ended. */
  write(): Promise<void>;
  /** Does nothing when no write is under way. */
  endWrite(): void;
}

/** Creates the turns. A write that waits goes before reads that have not begun, so that reads cannot hold it up for ever. */
export function createTurns(): Turns {
  let reads = 0;
  let lastRead: PromiseWithResolvers<void> | undefined;
  const current: { writing: PromiseWithResolvers<void> | undefined } = { writing: undefined };
  const waitToRead = async () => {
    while (current.writing !== undefined) await current.writing.promise;
    reads++;
  };
  return {
    read() {
      if (current.writing !== undefined) return waitToRead();
      reads++;
      return undefined;
    },
    endRead() {
      if (--reads === 0) lastRead?.resolve();
    },
    async write() {
      while (current.writing !== undefined) await current.writing.promise;
      current.writing = Promise.withResolvers<void>();
      if (reads === 0) return;
      lastRead = Promise.withResolvers<void>();
      await lastRead.promise;
      lastRead = undefined;
    },
    endWrite() {
      const { writing } = current;
      current.writing = undefined;
      writing?.resolve();
    },
  };
}
