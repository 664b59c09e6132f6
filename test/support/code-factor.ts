import type { SecondFactorId } from "../../src/kernel/base/ids.ts";
import { addCodeFactor } from "../../src/identity/factors/code-factors/code-factor.ts";
import { findUserById } from "../../src/identity/people/user/repository.ts";
import { requireHuman, userNotFound } from "../../src/identity/people/user/user.ts";
import type { CodeFactorKind } from "../../src/identity/policies/login-policy.ts";
import type { TestService } from "./service.ts";

/** Gives a user codes as a second factor, as the pages do once the user has typed one. Returns the id of the factor. */
export async function addCodeFactorOf(
  { context: { database, log } }: TestService,
  userId: string,
  type: CodeFactorKind = "EMAIL_CODE",
): Promise<SecondFactorId> {
  return await database.write(async (tx) => {
    const found = await findUserById(tx, userId);
    if (found === undefined) throw userNotFound(userId);
    const user = requireHuman(found);
    const id = tx.nextId<SecondFactorId>();
    const origin = { editor: user.id, remoteAddress: undefined, requestId: "test" } as const;
    await log.append(tx, origin, [addCodeFactor(user, { id, type })]);
    return id;
  });
}
