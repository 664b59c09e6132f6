import { fork } from "node:child_process";
import type { Logger } from "pino";
import type { Config } from "../config/config.ts";
import type { Flags } from "../config/values.ts";
import { createLogger } from "../kernel/base/logging/logger.ts";
import { placeOf } from "../kernel/storage/places/place-of.ts";
import { type Crew, createCrew } from "../workers/crew.ts";
import { openPort } from "../workers/listen.ts";
import { workerCommand, type WorkerOrder } from "../workers/messages.ts";
import { printReady } from "./serve-until-stopped.ts";
import { listenForSignals } from "./terminal/signals.ts";

/**
 * Serves with several processes until SIGTERM or SIGINT, then ends the process. This one accepts connections, which the others get, and
 * begins another process for each that ends. A second signal ends all at once; SIGHUP is passed on.
 */
export async function serveTogether(flags: Flags, config: Config): Promise<number> {
  const logger = createLogger(config.logLevel);
  let reload = () => {}; // a start reads the files anyway
  const signals = listenForSignals(() => reload());
  const port = await openPort(config);
  const held = await hold(config).catch((error: unknown) => {
    port.close(); // it would keep the process
    throw error;
  });
  const { host, workers: count } = config;
  const crew = createCrewOf({ flags, count, host, port: port.port }, config, logger);
  port.take(crew.take);
  process.once("exit", crew.kill); // of a second signal; otherwise there are none any more
  reload = crew.reload;
  const stopping = signals.stop.then(async (signal) => {
    logger.info({ signal }, "workers.stopping");
    port.close();
    await crew.stop();
  });
  const started = await Promise.race([crew.start(), stopping.then(() => undefined)]);
  if (started !== undefined && "code" in started && !signals.isStopAsked()) {
    port.close();
    await crew.stop();
    held.release();
    return process.exit(started.code ?? 1); // the worker has said why
  }
  const signUpUrl = started !== undefined && "signUpUrl" in started ? started.signUpUrl : undefined;
  if (!signals.isStopAsked()) await printReady(urlOf(config, port), signUpUrl, logger);
  await stopping;
  held.release();
  return process.exit(0);
}

async function hold(config: Config): Promise<{ release(): void }> {
  return (await placeOf(config)).hold();
}

function createCrewOf(
  order: Omit<WorkerOrder, "slot" | "isFirst">,
  { limits }: Config,
  logger: Logger,
): Crew {
  const [, program = ""] = process.argv;
  return createCrew({
    order,
    maxWaitingConnections: limits.maxConnections,
    begin: () => fork(program, [workerCommand], { stdio: ["ignore", "ignore", "inherit", "ipc"] }),
    onEnd: (slot, { code, signal }) => logger.warn({ worker: slot, code, signal }, "worker.ended"),
    onKill: (slot, reason) => logger.error({ worker: slot, reason }, "worker.killed"),
    onLostWrite: () => process.exit(1), // a worker has said why; all end with their channel
    nowMs: () => performance.now(),
  });
}

function urlOf({ tls }: Config, { host, port }: { readonly host: string; readonly port: number }): string {
  return `${tls === undefined ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
