import { openInstallation } from "../installation.ts";
import { readDataOption } from "./data-option.ts";
import { print } from "./print.ts";

/** Rebuilds all tables from the event log in one transaction: afterwards they are either new or unchanged. */
export async function rebuild(flags: Readonly<Record<string, unknown>>): Promise<number> {
  const dataFolder = readDataOption(flags);
  const installation = await openInstallation(dataFolder, { isNewAllowed: false });
  try {
    const { database, log } = installation.context;
    const count = await database.write((tx) => log.rebuild(tx));
    await print(`${count} events applied`);
    return 0;
  } finally {
    await installation.close();
  }
}
