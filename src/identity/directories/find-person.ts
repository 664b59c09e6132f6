import { DirectoryError } from "../../kernel/base/directory/directory-error.ts";
import type { DirectoryConnection } from "../../kernel/base/directory/directory.ts";
import type { LdapConfig } from "../providers/ldap.ts";
import { listAskedAttributes, toGroupsFilter, toNameFilter } from "./attributes.ts";
import { type DirectoryPerson, readPerson, toGroupDns } from "./person.ts";

/** So many groups of somebody are read where groups name their members. */
const maxGroups = 1000;

/**
 * Finds whom the name means: exactly one entry has it. `several`: more than one, so that nobody is meant. Raises a DirectoryError; also if
 * nothing names the entry for ever, which an administrator has to put right.
 */
export async function findPerson(
  connection: DirectoryConnection,
  { config, name, nowMs }: { readonly config: LdapConfig; readonly name: string; readonly nowMs: number },
): Promise<DirectoryPerson | "nobody" | "several"> {
  const search = {
    base: config.baseDn,
    filter: toNameFilter(config, name),
    attributes: listAskedAttributes(config),
  };
  const [entry, ...others] = await connection.search(search, 2);
  if (entry === undefined) return "nobody";
  if (others.length > 0) return "several";
  const person = readPerson(config, entry, nowMs);
  if (person === undefined) throw new DirectoryError("refused", "search: an entry without id_attribute");
  return person;
}

/** Returns the groups that somebody is in, as `parseDn` writes their DNs; undefined: the directory does not say. Raises a DirectoryError. */
export async function readGroupDns(
  connection: DirectoryConnection,
  config: LdapConfig,
  { dn, groupDns }: Pick<DirectoryPerson, "dn" | "groupDns">,
): Promise<readonly string[] | undefined> {
  if (config.groupBaseDn === "") return groupDns;
  const search = { base: config.groupBaseDn, filter: toGroupsFilter(config, dn), attributes: ["1.1"] }; // RFC 4511 §4.5.1.8: none
  const entries = await connection.search(search, maxGroups + 1);
  return entries.length > maxGroups ? undefined : entries.flatMap((entry) => toGroupDns(entry.dn));
}
