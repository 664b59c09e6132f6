import { parseDataFolder, processEnvironment } from "../config/config.ts";
import { openInstallation } from "../app.ts";

/** Makes all tables again from the event log, in one transaction: afterwards they are new, or as they were. */
export async function rebuild(flags: Readonly<Record<string, unknown>>): Promise<number> {
  const dataFolder = parseDataFolder(flags, processEnvironment());
  const installation = await openInstallation(dataFolder, { isNewAllowed: false });
  try {
    const { database, log } = installation.context;
    const count = await database.write((tx) => log.rebuild(tx));
    process.stdout.write(`${count} events applied\n`);
    return 0;
  } finally {
    await installation.close();
  }
}
