import { openInstallation } from "../../../src/app/installation.ts";
import { writePrivateFile } from "../../../src/kernel/storage/data-folder.ts";

/** Makes in this process the data folder that a first start leaves behind when it was stopped. */
export async function makeInstance(path: string): Promise<void> {
  const mask = process.umask(0o077); // as the command does
  try {
    const installation = await openInstallation({ dataFolder: path }, { isNewAllowed: true });
    const { instance, folder } = installation;
    await instance.create((token) => writePrivateFile(folder.adminToken, `${token.reveal()}\n`));
    await installation.close();
  } finally {
    process.umask(mask);
  }
}
