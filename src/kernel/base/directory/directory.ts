import type { Secret } from "../secret.ts";
import type { DirectoryEntry } from "./entry.ts";
import type { DirectoryFilter } from "./filter.ts";

/** A server of a directory, and how it is spoken to. */
export interface DirectoryServer {
  /** `ldaps://` or `ldap://` with a host, perhaps a port, and nothing else. */
  readonly url: string;
  /** Speaks `ldap://` without encryption; false: with STARTTLS, which a server must have. */
  readonly isPlainText: boolean;
  /** Certificates (PEM) that are trusted in place of those that Node trusts. Empty: the latter. */
  readonly trustedCertificates: string;
}

/** The limits of a connection. */
export interface DirectoryLimits {
  /** For everything together: name resolution, TLS, and all that is asked. */
  readonly timeoutMs: number;
  /** Of all answers together. */
  readonly maxBytes: number;
  /** Gives up before the time is over. */
  readonly signal?: AbortSignal | undefined;
}

/** What is looked for. */
export interface DirectorySearch {
  /** The DN below which it is looked for, and itself. */
  readonly base: string;
  readonly filter: DirectoryFilter;
  readonly attributes: readonly string[];
}

/** A connection to one server. Every method raises a DirectoryError when the server does not answer as it should. */
export interface DirectoryConnection {
  /** Says whether the entry has the password. Neither may be empty: that would be a bind as nobody, which any server takes. */
  bind(dn: string, password: Secret): Promise<boolean>;
  /** Finds at most `limit` entries. Aliases and referrals are not followed. */
  search(search: DirectorySearch, limit: number): Promise<readonly DirectoryEntry[]>;
  /** Finds all entries, in pages (RFC 2696). */
  pages(search: DirectorySearch): AsyncIterable<readonly DirectoryEntry[]>;
  close(): void;
}

/** Opens connections to servers of directories that callers name, where that is allowed. */
export interface Directories {
  /** Says why a server as it is written is forbidden, in words that follow `the server`, or returns undefined. Connects to nothing. */
  violationOf(server: Pick<DirectoryServer, "url" | "isPlainText">): string | undefined;
  /** Says whether the text is a filter (RFC 4515). */
  isFilter(text: string): Promise<boolean>;
  /** Connects, with a verified certificate unless it is plain text. Raises a DirectoryError. */
  open(server: DirectoryServer, limits: DirectoryLimits): Promise<DirectoryConnection>;
}
