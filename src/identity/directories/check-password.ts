import type { WriteTransaction } from "../../kernel/base/database.ts";
import { DirectoryError } from "../../kernel/base/directory/directory-error.ts";
import type { DirectoryConnection } from "../../kernel/base/directory/directory.ts";
import { foldName } from "../../kernel/base/names/folding.ts";
import { Secret } from "../../kernel/base/secret.ts";
import type { FeatureContext } from "../context.ts";
import { nameBrowser } from "../logins/known-browsers/repository.ts";
import {
  type AskedTry,
  releaseTry,
  reserveTries,
  reserveTry,
  resetTries,
  retractTry,
} from "../logins/tries/repository.ts";
import { addressKeyOf, addressLimits, passwordLimits, tryKeyOf } from "../logins/tries/try.ts";
import { findIdentityLink } from "../people/identity-links/repository.ts";
import type { IdentityProvider } from "../providers/identity-provider.ts";
import type { LdapConfig } from "../providers/ldap.ts";
import { findPerson, readGroupDns } from "./find-person.ts";
import type { DirectoryPerson } from "./person.ts";
import type { AskedDirectory, DirectoryServers } from "./servers.ts";

/** A provider that is a directory. */
export type DirectoryProvider = Omit<IdentityProvider, "config"> & { readonly config: LdapConfig };

/** What passwords of directories are checked with. */
export interface DirectoryPorts extends Pick<FeatureContext, "database" | "clock" | "keyring" | "random"> {
  readonly servers: DirectoryServers;
}

/** A name and a password that somebody has typed for a directory. */
export interface TypedForDirectory {
  readonly provider: DirectoryProvider;
  readonly directory: AskedDirectory;
  readonly name: string;
  readonly password: string;
  readonly remoteAddress: string | undefined;
  /** Hash of the cookie of a browser in which users have logged in before: for them it has counters of its own. */
  readonly browserHash: string | undefined;
}

/** How it went. `wrong` says no more; nor does `detail`, which is for the log. */
export type DirectoryTry =
  | {
      readonly kind: "right";
      readonly person: DirectoryPerson;
      /** Ends the try in the write of what follows from it; one that is never settled counts as wrong. */
      readonly settle: (tx: WriteTransaction) => Promise<void>;
    }
  | { readonly kind: "wrong"; readonly detail: string }
  | { readonly kind: "paused"; readonly retryAfterMs: number };

/**
 * Tries a password at a directory. The try is counted before the password goes there: under the address before anything is looked for,
 * then under the name and under the entry. Where no entry is meant, or it may not try, the password of an entry that does not exist is
 * tried, which takes as long. Raises the DirectoryError of a directory that does not answer; nothing counts then.
 */
export async function tryDirectoryPassword(
  ports: DirectoryPorts,
  typed: TypedForDirectory,
): Promise<DirectoryTry> {
  const { name, password } = typed;
  if (!isSendable(name, maxNameLength) || name.trim() === "" || !isSendable(password, maxPasswordLength))
    return { kind: "wrong", detail: "nothing to try" };
  const { database, clock, keyring } = ports;
  const reservedMs = clock.nowMs();
  const key = addressKeyOf(keyring, typed.remoteAddress);
  const address = { kind: "address", key, nowMs: reservedMs, limits: addressLimits } as const;
  const reserved = await database.write((tx) => reserveTry(tx, address));
  if (!reserved.isAllowed) return { kind: "paused", retryAfterMs: reserved.retryAfterMs };
  const release = (tx: WriteTransaction) => releaseTry(tx, address, { reservedMs, nowMs: clock.nowMs() });
  const open: OpenTry = { typed, reservedMs, counted: undefined };
  try {
    const tried = await ports.servers.ask(typed.directory, (connection) => tryAt(ports, connection, open));
    if (tried.kind === "paused") await database.write(release);
    if (tried.kind !== "right") return tried;
    const { counters = [] } = open.counted ?? {};
    return {
      kind: "right",
      person: tried.person,
      async settle(tx) {
        for (const counter of counters) await resetTries(tx, counter);
        await release(tx);
      },
    };
  } catch (error) {
    if (!(error instanceof DirectoryError)) throw error;
    await database.write(async (tx) => {
      for (const counter of open.counted?.counters ?? []) await retractTry(tx, counter);
      await release(tx);
    });
    throw error;
  }
}

const maxNameLength = 200;
const maxPasswordLength = 1000;

/** An empty password is a bind as nobody, which any server takes; behind NUL some read no further. */
function isSendable(text: string, maxLength: number): boolean {
  return text !== "" && text.length <= maxLength && !text.includes("\0") && text.isWellFormed();
}

interface OpenTry {
  readonly typed: TypedForDirectory;
  readonly reservedMs: number;
  /** Another server counts the try no second time. */
  counted: CountedTry | undefined;
}

interface CountedTry {
  readonly kind: "counted";
  readonly counters: readonly AskedTry[];
  readonly isEntryAllowed: boolean;
}

async function tryAt(
  ports: DirectoryPorts,
  connection: DirectoryConnection,
  open: OpenTry,
): Promise<
  Exclude<DirectoryTry, { kind: "right" }> | { readonly kind: "right"; readonly person: DirectoryPerson }
> {
  const { typed, reservedMs } = open;
  const { config } = typed.provider;
  const found = await findPerson(connection, { config, name: typed.name, nowMs: reservedMs });
  const person = typeof found === "string" ? undefined : found;
  const counted = open.counted ?? (await count(ports, { typed, person, nowMs: reservedMs }));
  if (counted.kind === "paused") return counted;
  open.counted = counted;
  const mayTry = counted.isEntryAllowed;
  const password = new Secret(typed.password);
  if (person === undefined || !mayTry || !person.isEnabled) {
    await bindAsNobody(ports, connection, { config, password });
    const detail = typeof found === "string" ? found : mayTry ? "disabled" : "too many tries at the entry";
    return { kind: "wrong", detail };
  }
  const groupDns = await readGroupDns(connection, config, person); // before: the entry itself may not be allowed to look
  if (!(await bindAs(connection, person.dn, password))) return { kind: "wrong", detail: "password" };
  return { kind: "right", person: { ...person, groupDns } };
}

/** Counts the try under the name and, if they allow it, under the entry; in one write. */
async function count(
  { database, keyring }: DirectoryPorts,
  asked: {
    readonly typed: TypedForDirectory;
    readonly person: DirectoryPerson | undefined;
    readonly nowMs: number;
  },
): Promise<CountedTry | { readonly kind: "paused"; readonly retryAfterMs: number }> {
  const { typed, person, nowMs } = asked;
  const { provider, browserHash } = typed;
  return await database.write(async (tx) => {
    const link = person && (await findIdentityLink(tx, provider.id, person.subject));
    const browser = await nameBrowser(tx, { userId: link?.userId, browserHash, nowMs });
    const counter = (what: string, of: string): AskedTry => ({
      kind: "password",
      key: tryKeyOf(keyring, "password", "directory", provider.id, what, of, ...browser),
      userId: link?.userId,
      nowMs,
      limits: passwordLimits,
    });
    const byName = counter("name", foldName(typed.name));
    const reserved = await reserveTries(tx, [byName]);
    if (!reserved.isAllowed) return { kind: "paused", retryAfterMs: reserved.retryAfterMs };
    const byEntry = person && counter("entry", person.subject);
    const isEntryAllowed = byEntry === undefined || (await reserveTry(tx, byEntry)).isAllowed;
    const counters = byEntry === undefined || !isEntryAllowed ? [byName] : [byName, byEntry];
    return { kind: "counted", counters, isEntryAllowed };
  });
}

/** A server that refuses the bind of somebody for another reason than the password lets them in no more than with a wrong one. */
async function bindAs(connection: DirectoryConnection, dn: string, password: Secret): Promise<boolean> {
  try {
    return await connection.bind(dn, password);
  } catch (error) {
    if (error instanceof DirectoryError && error.kind === "refused") return false;
    throw error;
  }
}

/** Whatever the server answers, nobody is let in. */
async function bindAsNobody(
  { random }: Pick<DirectoryPorts, "random">,
  connection: DirectoryConnection,
  { config, password }: { readonly config: LdapConfig; readonly password: Secret },
): Promise<void> {
  const name = Buffer.from(random.bytes(16)).toString("hex");
  await bindAs(connection, `cn=${name},${config.baseDn}`, password);
}
