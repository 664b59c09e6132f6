import { ConfigurationError } from "../applying/reading/configuration-error.ts";
import { GatehouseError } from "../client/client.ts";
import { ConfigError } from "../config/config-error.ts";
import { Problem } from "../kernel/base/problem.ts";
import { ReplayError } from "../kernel/events/event-log.ts";
import { WrongMasterKeyError } from "../identity/instance/commands.ts";
import { UnreadableSecretError } from "../identity/instance/sealed-secrets.ts";
import { BreachedListError } from "../kernel/storage/breached-passwords.ts";
import { NoScratchError } from "../kernel/storage/places/scratch.ts";
import { CopyError } from "../kernel/storage/copy/rows.ts";
import { SealedPlaceError } from "../kernel/storage/copy/seal.ts";
import { DataFolderBusyError, DataFolderError } from "../kernel/storage/data-folder.ts";
import { DatabaseAddressError, DatabaseUnusableError } from "../kernel/storage/database-unusable.ts";
import { BackupError } from "../kernel/storage/place.ts";
import { DatabaseTooNewError } from "../kernel/storage/schema-versions.ts";
import { ImportError } from "../importing/records.ts";
import { OutputError } from "./terminal/print.ts";

/** The message for the person at the console; `isUsage` when a different command line would help. */
export interface Explanation {
  readonly message: string;
  readonly isUsage: boolean;
}

/** Explains an error that a person can fix; returns undefined for a bug. */
export function explain(error: unknown): Explanation | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof ConfigError || error instanceof DatabaseAddressError)
    return { message: error.message, isUsage: true };
  if (error instanceof WrongMasterKeyError)
    return { message: `the key file is wrong: ${error.message}`, isUsage: false };
  if (error instanceof Problem && error.kind !== "internal")
    return { message: `${error.message}${causeOf(error)}`, isUsage: false };
  if (error instanceof GatehouseError) {
    const isLost = error.reason === "UNREACHABLE";
    return {
      message: isLost ? "the service does not answer" : `${error.rawMessage} (${error.reason})`,
      isUsage: false,
    };
  }
  const known = [
    DataFolderError,
    DataFolderBusyError,
    DatabaseTooNewError,
    DatabaseUnusableError,
    BackupError,
    CopyError,
    SealedPlaceError,
    BreachedListError,
    ReplayError,
    UnreadableSecretError,
    NoScratchError,
    OutputError,
    ImportError,
    ConfigurationError,
  ].some((type) => error instanceof type);
  if (known || isSystemError(error)) return { message: error.message, isUsage: false };
  return undefined;
}

/** Names the cause of a problem, which callers of the service do not see: a full disk, for example. */
function causeOf({ cause }: Problem): string {
  return cause instanceof Error ? ` (${cause.message})` : "";
}

/**
 * Errors of the operating system and of SQLite name what failed: an address in use, a folder without permission.
 * Codes that begin with ERR_ are Node's own, for bugs.
 */
function isSystemError(error: Error): boolean {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return /^(?!ERR_)(E[A-Z0-9_]+|SQLITE_[A-Z_]+)$/.test(code);
}
