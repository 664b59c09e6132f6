import { ConfigError } from "../config/config-error.ts";
import type { Flags } from "../config/values.ts";
import { openInstallation } from "../app/installation.ts";
import { readPlaceOptions } from "./place-options.ts";
import { print } from "./terminal/print.ts";

/**
 * Rebuilds all tables from the event log in one transaction: afterwards they are either new or unchanged. With --force also while
 * processes use the database: their changes wait until it is done, and their reads see the tables as they were.
 */
export async function rebuild(flags: Flags): Promise<number> {
  const isForced = flags["force"] === true;
  const place = readPlaceOptions(flags);
  if (isForced && place.database === undefined)
    throw new ConfigError(
      "--force works only with --database: a data folder is used by one process at a time",
    );
  const installation = await openInstallation(place, { isNewAllowed: false, isAlone: !isForced });
  try {
    const { log } = installation.context;
    const count = await installation.writeLong((tx) => log.rebuild(tx));
    await print(`${count} events applied`);
    return 0;
  } finally {
    await installation.close();
  }
}
