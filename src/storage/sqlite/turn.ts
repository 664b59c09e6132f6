/**
 * Waits for work that may await nothing but its transaction. SQLite answers at once, so such work ends within one turn
 * of the event loop; work that does not is a bug that would hold up every other caller, and is refused.
 */
export async function withinTurn<T>(work: Promise<T>): Promise<T> {
  let turnEnd: NodeJS.Immediate | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    turnEnd = setImmediate(() =>
      reject(new Error("a transaction awaited something other than its statements")),
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearImmediate(turnEnd);
  }
}
