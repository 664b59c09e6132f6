import type { ReadTransaction } from "../../kernel/base/database.ts";
import { Secret } from "../../kernel/base/secret.ts";
import { findSecret } from "../../kernel/events/secret-store.ts";
import type { FeatureContext } from "../context.ts";
import type { LdapConfig } from "../providers/ldap.ts";

/** Returns the password of the service account of a directory; undefined: there is no account. */
export async function findDirectorySecret(
  { keyring }: Pick<FeatureContext, "keyring">,
  tx: ReadTransaction,
  { bindSecretId: id }: Pick<LdapConfig, "bindSecretId">,
): Promise<Secret | undefined> {
  if (id === "") return undefined;
  const stored = await findSecret(tx, id);
  if (stored === undefined) throw new Error("a directory has lost the password of its service account");
  return new Secret(Buffer.from(keyring.decrypt("client-secret", stored, id)).toString("utf8"));
}
