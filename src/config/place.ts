import { Secret } from "../kernel/base/secret.ts";
import { ConfigError } from "./config-error.ts";
import { environmentNameOf } from "./option.ts";
import { type Environment, type Flags, readValues, toFlag } from "./values.ts";

/** Where an installation keeps its data: in the data folder, unless there is a database. */
export interface PlaceConfig {
  readonly dataFolder: string;
  readonly database: DatabaseConfig | undefined;
}

/** A PostgreSQL database that several processes may share. */
export interface DatabaseConfig {
  /** May contain a password. */
  readonly url: Secret;
  readonly masterKeyFile: string;
  /** Whether a change is answered only when a standby has it; `auto`: if the url names more than one host. */
  readonly requireSynchronous: "auto" | "yes" | "no";
  /** Accepts connections without TLS, and a server that may lose data in a power cut. */
  readonly dev: boolean;
  /**
   * Returns the environment, from which a password and certificates may come as for other programs (PGPASSWORD, PGPASSFILE,
   * PGSSLROOTCERT). A function, so that nobody prints it with the configuration.
   */
  readonly environment: () => Environment;
}

/** Reads only the options about the place of the data, for commands that need nothing else. Throws ConfigError. */
export function parsePlace(flags: Flags, environment: Environment): PlaceConfig {
  const text = readValues(flags, environment);
  const url = text("database");
  const masterKeyFile = text("master-key-file");
  const requireSynchronous = text("require-synchronous") as DatabaseConfig["requireSynchronous"]; // by its choices
  const dataFolder = text("data");
  if (url === "") {
    if (masterKeyFile !== "")
      throw new ConfigError(
        "--master-key-file has no effect without --database: master.key is in the data folder",
      );
    if (requireSynchronous !== "auto")
      throw new ConfigError("--require-synchronous has no effect without --database");
    return { dataFolder, database: undefined };
  }
  if (flags["database"] !== undefined && hasPassword(url)) {
    throw new ConfigError(
      `--database must not contain the password, because others can read a command line; set ${environmentNameOf("database")}, PGPASSWORD or PGPASSFILE`,
    );
  }
  if (masterKeyFile === "") {
    throw new ConfigError(
      "--database needs --master-key-file, the same file for all processes; gatehouse init creates it",
    );
  }
  return {
    dataFolder,
    database: {
      url: new Secret(url),
      masterKeyFile,
      requireSynchronous,
      dev: toFlag("dev", text("dev")),
      environment: () => environment,
    },
  };
}

/**
 * Reads the place that `text` names: the URL of a database, whose other options are those of `parsePlace`, or else a data folder. Throws
 * ConfigError; `option` is how the text came.
 */
export function parseNamedPlace(
  text: string,
  {
    option,
    flags,
    environment,
  }: { readonly option: string; readonly flags: Flags; readonly environment: Environment },
): PlaceConfig {
  if (text === "") throw new ConfigError(`${option} must not be empty`);
  if (!/^[a-z]+:\/\//i.test(text)) return { dataFolder: text, database: undefined };
  if (hasPassword(text)) {
    throw new ConfigError(
      `${option} must not contain the password, because others can read a command line; set PGPASSWORD or PGPASSFILE`,
    );
  }
  return parsePlace({ ...flags, database: text }, environment);
}

/** Says whether the url contains a password, in front of its host or as a parameter. */
function hasPassword(url: string): boolean {
  const [, user = ""] = /^[a-z]+:\/\/([^/?#]*)@/i.exec(url) ?? [];
  return user.includes(":") || /[?&](?:ssl)?password=/i.test(url);
}
