import type { WriteTransaction } from "../../kernel/base/database.ts";
import {
  isUnderOrganization,
  openUserKey,
  UnreadableError,
  userKeyPrefix,
  wrapUserKey,
} from "../../kernel/events/personal-data.ts";
import { listSecrets, putSecret } from "../../kernel/events/secret-store.ts";
import type { FeatureContext } from "../context.ts";
import { findStoredOrganizationOfUser } from "../people/user/repository.ts";
import { areUserKeysOfOrganizations, noteUserKeysOfOrganizations } from "./repository.ts";
import { secretsAtOnce } from "./sealed-secrets.ts";

type Context = Pick<FeatureContext, "database" | "keyring" | "random">;

/**
 * Wraps the keys of users by the keys of their organizations, once: an earlier version wrapped them by the master key. An
 * interruption is harmless: the next start continues.
 */
export async function wrapUserKeys(context: Context): Promise<void> {
  const { database } = context;
  if (await database.read(areUserKeysOfOrganizations)) return;
  let after: string | undefined = userKeyPrefix;
  let count = 0;
  while (after !== undefined) {
    const from: string = after;
    const some = await database.write((tx) => wrapSome(context, tx, from));
    after = some.last;
    count += some.count;
  }
  await database.write(noteUserKeysOfOrganizations);
  if (count > 0) await database.purge(); // what the master key opens must not stay in the files
}

async function wrapSome(context: Context, tx: WriteTransaction, after: string) {
  const rows = await listSecrets(tx, { prefix: userKeyPrefix, after, limit: secretsAtOnce });
  let count = 0;
  for (const row of rows) {
    const userId = row.id.slice(userKeyPrefix.length);
    const organizationId = await findStoredOrganizationOfUser(tx, userId);
    if (organizationId === undefined || isUnderOrganization(row)) continue;
    try {
      const key = await openUserKey(tx, context.keyring, { userId, wrapped: row });
      if (key === undefined) continue;
      await putSecret(tx, row.id, await wrapUserKey(tx, context, { userId, organizationId, key }));
      count += 1;
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error; // doctor tells of a key that was damaged
    }
  }
  return { count, last: rows.length < secretsAtOnce ? undefined : rows.at(-1)?.id };
}
