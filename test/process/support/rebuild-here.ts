import { openInstallation } from "../../../src/app/installation.ts";

/** Makes all tables of a data folder again from the log, in this process. Returns the number of events. */
export async function rebuildHere(path: string): Promise<number> {
  const installation = await openInstallation({ dataFolder: path }, { isNewAllowed: false });
  try {
    const { database, log } = installation.context;
    return await database.write((tx) => log.rebuild(tx));
  } finally {
    await installation.close();
  }
}
