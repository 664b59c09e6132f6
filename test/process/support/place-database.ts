import { join } from "node:path";
import type { RawConnection } from "../../support/engine/engine.ts";
import { openRaw } from "../../support/engine/sqlite-engine.ts";

/** Works on the database of a place beside whoever else uses it, past all code of ours. `options` are those that name the place. */
export async function lookInto<T>(
  folder: string,
  options: readonly string[],
  look: (raw: RawConnection) => Promise<T>,
): Promise<T> {
  const { raw, close } = await open(folder, options);
  try {
    return await look(raw);
  } finally {
    await close();
  }
}

async function open(folder: string, options: readonly string[]) {
  const at = options.indexOf("--database");
  if (at >= 0) return (await import("../../support/engine/postgres-raw.ts")).openRaw(options[at + 1] ?? ""); // the driver is loaded only there
  const { raw, connection } = openRaw(join(folder, "gatehouse.db"));
  return { raw, close: async () => void connection.close() };
}
