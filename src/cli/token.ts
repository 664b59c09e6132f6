import type { Flags } from "../config/values.ts";
import { openInstallation } from "../app/installation.ts";
import { readPlaceOptions } from "./place-options.ts";
import { print, printError } from "./terminal/print.ts";

/** Makes another token for an administrator and prints it to stdout, in case admin.token is lost. */
export async function createToken(flags: Flags): Promise<number> {
  const installation = await openInstallation(readPlaceOptions(flags), { isNewAllowed: false });
  try {
    const user = typeof flags["user"] === "string" ? flags["user"] : undefined;
    const made = await installation.instance.addAdministratorToken(user);
    if (made === undefined) {
      printError("gatehouse: there is no such active user with the role INSTANCE_OWNER\n");
      return 1;
    }
    await print(made.token.reveal());
    return 0;
  } finally {
    await installation.close();
  }
}
