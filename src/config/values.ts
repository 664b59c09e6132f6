import { readFileSync } from "node:fs";
import { ConfigError } from "./config-error.ts";
import { environmentNameOf, type OptionDefinition } from "./option.ts";
import { type OptionName, optionDefinitions } from "./options.ts";

/** Environment variables by their names. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Flags as the command line gives them, by the names of their options. */
export type Flags = Readonly<Record<string, unknown>>;

/** Returns the checked text of an option. */
export type ValueOf = (name: OptionName) => string;

/** Returns the environment of the process. The only place that reads it. */
export function processEnvironment(): Environment {
  return process.env;
}

/** Lets SQLite keep its own files for sorting in this folder from now on: they may be as large as an index, and hold personal data. */
export function keepSqliteFilesIn(folder: string): void {
  process.env["SQLITE_TMPDIR"] = folder;
}

/**
 * Reads options, each from the command line, then the environment, then its default. A secret may also come from a
 * file, named by its variable with _FILE appended. The result throws ConfigError.
 */
export function readValues(flags: Flags, environment: Environment): ValueOf {
  const definitions = new Map<string, OptionDefinition>(optionDefinitions.map((each) => [each.name, each]));
  return (name) => {
    const definition = definitions.get(name);
    if (definition === undefined) throw new Error(`the option ${name} is not in the table`);
    return rawValueOf(definition, flags, environment);
  };
}

/** Converts the text of a flag. Throws ConfigError. */
export function toFlag(name: string, value: string): boolean {
  if (value === "true" || value === "1") return true;
  if (value === "false" || value === "0") return false;
  throw new ConfigError(`${environmentNameOf(name)} must be true or false`);
}

/** Reads a file that an option names. Throws ConfigError. */
export function readText(name: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError(
      `${name}: ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`,
      { cause: error },
    );
  }
}

function rawValueOf(option: OptionDefinition, flags: Flags, environment: Environment): string {
  const variable = environmentNameOf(option.name);
  const flag = flags[option.name];
  const value =
    flag === undefined ? (environment[variable] ?? secretFromFile(option, environment)) : toText(flag);
  if (value === undefined || (value === "" && option.kind !== "text")) return option.default;
  if (option.choices !== undefined && !option.choices.includes(value)) {
    throw new ConfigError(
      `--${option.name} must be one of ${option.choices.filter((choice) => choice !== "").join(", ")}`,
    );
  }
  if (option.kind === "integer") requireInteger(option, value);
  if (option.name === "data" && value === "") throw new ConfigError("--data must not be empty");
  return value;
}

function secretFromFile(option: OptionDefinition, environment: Environment): string | undefined {
  const file = option.isSecret === true ? environment[`${environmentNameOf(option.name)}_FILE`] : undefined;
  return file === undefined ? undefined : readText(`${environmentNameOf(option.name)}_FILE`, file).trim();
}

function toText(flag: unknown): string {
  if (Array.isArray(flag)) return flag.map(toText).join(",");
  return typeof flag === "string" ? flag : String(flag === true);
}

function requireInteger(option: OptionDefinition, value: string): void {
  const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = option;
  if (!(number >= min && number <= max)) {
    throw new ConfigError(`--${option.name} must be a whole number from ${min} to ${max} (${option.value})`);
  }
}
