import { Secret } from "../kernel/base/secret.ts";
import { type Config, parseConfig } from "./config.ts";
import { ConfigError } from "./config-error.ts";
import { type Environment, type Flags, readText } from "./values.ts";

/** The settings of an emulator. */
export interface EmulatorConfig {
  readonly config: Config;
  /** What callers may send as the token of the administrator; undefined: only the token that is made at the start. */
  readonly token: Secret | undefined;
  /** The file of the seed, and what is in it; undefined: there is none. */
  readonly seed: { readonly file: string; readonly content: string } | undefined;
}

/** Where it listens if nothing is said. */
export const emulatorListen = "127.0.0.1:8085";

/** The variable of the token. */
const emulatorTokenVariable = "GATEHOUSE_EMULATOR_TOKEN";

/**
 * Reads the flags of an emulator. Of the environment it reads the token alone, so that no variable of a service leads it to real data,
 * providers or addresses. Throws ConfigError.
 */
export function parseEmulatorConfig(flags: Flags, environment: Environment): EmulatorConfig {
  const { listen = emulatorListen, logLevel = "warn", seed: file } = flags;
  const config = parseConfig({ listen, "log-level": logLevel, dev: true }, {});
  if (!["localhost", "127.0.0.1", "::1"].includes(config.host))
    throw new ConfigError("--listen: an emulator listens on localhost, 127.0.0.1 or [::1] only");
  return {
    config: { ...config, sms: { kind: "none" }, mail: { kind: "none" } },
    token: parseToken(environment[emulatorTokenVariable]),
    seed: typeof file === "string" ? { file, content: readText("--seed", file) } : undefined,
  };
}

function parseToken(text: string | undefined): Secret | undefined {
  if (text === undefined || text === "") return undefined;
  if (!/^[\x21-\x7e]{16,200}$/.test(text))
    throw new ConfigError(
      `${emulatorTokenVariable} must have 16 to 200 printable ASCII characters without spaces`,
    );
  return new Secret(text);
}
