import { setFlagsFromString } from "node:v8";
import { parseConfig, processEnvironment } from "../config/config.ts";
import { requireUsableTls } from "../config/tls.ts";
import { readVersion } from "./version.ts";

/** Serves until SIGTERM or SIGINT, then ends the process. A second signal ends it at once. */
export async function serve(flags: Readonly<Record<string, unknown>>): Promise<number> {
  const config = parseConfig(flags, processEnvironment());
  requireUsableTls(config.tls);
  const { createLogger, startApp } = await import("../app.ts"); // after what can be wrong with the options, which is quick
  const logger = createLogger(config.logLevel);
  const asked = waitForSignal();
  const app = await startApp(config, {
    logger,
    version: readVersion(),
    onFatal: (error) => {
      logger.fatal({ err: error }, "storage.lost_write");
      process.exit(1);
    },
  });
  process.stdout.write(`gatehouse ready on ${app.url}\n`);
  setFlagsFromString("--semi-space-growth-factor=2"); // V8's own; main.ts has lowered it for the start
  await app.warmUp();
  const signal = await asked;
  logger.info({ signal }, "service.stopping");
  await app.stop();
  logger.info("service.stopped");
  return process.exit(0); // what was given up, such as a message to a provider that does not answer, holds nothing up
}

function waitForSignal(): Promise<string> {
  return new Promise((resolve) => {
    const seen = new Set<string>();
    for (const name of ["SIGTERM", "SIGINT"] as const) {
      process.on(name, () => {
        if (seen.size > 0) process.exit(1);
        seen.add(name);
        resolve(name);
      });
    }
  });
}
