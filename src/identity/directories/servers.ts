import type { Clock } from "../../kernel/base/clock.ts";
import { DirectoryError } from "../../kernel/base/directory/directory-error.ts";
import type {
  Directories,
  DirectoryConnection,
  DirectoryLimits,
} from "../../kernel/base/directory/directory.ts";
import type { Secret } from "../../kernel/base/secret.ts";
import type { LdapConfig } from "../providers/ldap.ts";

/** A directory as the service account sees it. */
export interface AskedDirectory {
  readonly config: LdapConfig;
  /** Undefined: anybody may look. */
  readonly bindPassword: Secret | undefined;
  readonly limits: DirectoryLimits;
}

/** The servers of all directories. */
export interface DirectoryServers {
  /**
   * Does the work at the first server that does it, connected as the service account. The time is shared out among those that are left;
   * one that did not answer is asked last for half a minute. Raises the DirectoryError of the last one.
   */
  ask<T>(asked: AskedDirectory, work: (connection: DirectoryConnection) => Promise<T>): Promise<T>;
}

/** So long a server that did not answer is asked last. */
const quietMs = 30_000;
/** More servers than that are not remembered. */
const maxRemembered = 1000;

/** Creates the servers. */
export function createDirectoryServers(
  directories: Directories,
  clock: Pick<Clock, "nowMs">,
): DirectoryServers {
  const silentUntil = new Map<string, number>();
  const note = (url: string) => {
    if (silentUntil.size >= maxRemembered) silentUntil.clear();
    silentUntil.set(url, clock.nowMs() + quietMs);
  };
  const inOrder = (servers: readonly string[]) => {
    const isSilent = (url: string) => (silentUntil.get(url) ?? 0) > clock.nowMs();
    return [...servers.filter((url) => !isSilent(url)), ...servers.filter(isSilent)];
  };
  return {
    async ask(asked, work) {
      const servers = inOrder(asked.config.servers);
      const endMs = performance.now() + asked.limits.timeoutMs;
      let last = new DirectoryError("unreachable", "no server");
      for (const [index, url] of servers.entries()) {
        const timeoutMs = Math.floor((endMs - performance.now()) / (servers.length - index));
        if (timeoutMs < 1 || asked.limits.signal?.aborted === true) break;
        try {
          const done = await askOne(directories, asked, { url, timeoutMs }, work);
          silentUntil.delete(url);
          return done;
        } catch (error) {
          if (!(error instanceof DirectoryError) || error.kind !== "unreachable") throw error;
          note(url);
          last = error;
        }
      }
      throw last;
    },
  };
}

async function askOne<T>(
  directories: Directories,
  { config, bindPassword, limits }: AskedDirectory,
  { url, timeoutMs }: { readonly url: string; readonly timeoutMs: number },
  work: (connection: DirectoryConnection) => Promise<T>,
): Promise<T> {
  const { plainText: isPlainText, caCertificates: trustedCertificates } = config;
  const server = { url, isPlainText, trustedCertificates };
  const connection = await directories.open(server, { ...limits, timeoutMs });
  try {
    if (bindPassword !== undefined && !(await connection.bind(config.bindDn, bindPassword)))
      throw new DirectoryError("refused", "bind: the service account is unknown, or its password wrong");
    return await work(connection);
  } finally {
    connection.close();
  }
}
