import { parseEmulatorConfig } from "../config/emulator.ts";
import { type Flags, processEnvironment } from "../config/values.ts";
import { createLogger } from "../kernel/base/logging/logger.ts";
import type { HashCost } from "../identity/people/passwords/encoded-hash.ts";
import { printError, print } from "./terminal/print.ts";
import { listenForSignals } from "./terminal/signals.ts";
import { readVersion } from "./terminal/version.ts";

/** As little as argon2id can: the passwords are those of tests, and are in memory only. */
const passwordCost: HashCost = { memoryKib: 8, passes: 1, lanes: 1, saltBytes: 16, tagBytes: 32 };

const warning = `
************************************************************************************
*  This is an EMULATOR for tests. Anybody with its token signs in as any user, and *
*  everything is lost when it ends. Never put data or people's passwords into it.  *
************************************************************************************

`;

/** Serves an emulator until SIGTERM or SIGINT, then ends the process. Nothing of it is ever in a file. */
export async function emulate(flags: Flags): Promise<number> {
  const { config, token, seed } = parseEmulatorConfig(flags, processEnvironment());
  printError(warning);
  const signals = listenForSignals(() => {});
  const [{ startApp }, { createEmulator }] = await Promise.all([
    import("../app/app.ts"),
    import("../emulator/emulation.ts"),
  ]);
  const emulator = createEmulator(token);
  const app = await startApp(config, {
    logger: createLogger(config.logLevel),
    version: readVersion(),
    clock: emulator.clock,
    passwordCost,
    emulation: emulator.emulation,
    onFatal: (error) => {
      throw error;
    },
  });
  try {
    if (seed !== undefined) await emulator.seed(app.url, seed);
    await emulator.mark();
  } catch (error) {
    await app.stop();
    throw error;
  }
  const url = `http://localhost:${app.port}`;
  const ofToken = token === undefined ? `\nToken: ${emulator.token().reveal()}` : "";
  if (!signals.isStopAsked()) await print(`gatehouse emulator ready on ${url}${ofToken}`);
  await signals.stop;
  await app.stop();
  return process.exit(0);
}
