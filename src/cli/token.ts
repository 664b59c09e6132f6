import { parseDataFolder, processEnvironment } from "../config/config.ts";
import { openInstallation } from "../app.ts";

/** Makes another token for an administrator and prints it on stdout, for when admin.token is lost. */
export async function createToken(flags: Readonly<Record<string, unknown>>): Promise<number> {
  const dataFolder = parseDataFolder(flags, processEnvironment());
  const installation = await openInstallation(dataFolder, { isNewAllowed: false });
  try {
    const user = typeof flags["user"] === "string" ? flags["user"] : undefined;
    const made = await installation.instance.addAdministratorToken(user);
    if (made === undefined) {
      process.stderr.write("gatehouse: there is no such active user with the role INSTANCE_OWNER\n");
      return 1;
    }
    process.stdout.write(`${made.token.reveal()}\n`);
    return 0;
  } finally {
    await installation.close();
  }
}
