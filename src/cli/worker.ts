import { parseConfig } from "../config/config.ts";
import { type Flags, processEnvironment } from "../config/values.ts";
import { channelOfProcess, openWorkerLink } from "../workers/link.ts";
import { lostWriteCode } from "../workers/messages.ts";
import { printError } from "./terminal/print.ts";
import { serveUntilStopped } from "./serve-until-stopped.ts";

/** Serves as one of several processes, until the one that has begun it says stop, or is gone. */
export async function serveAsWorker(): Promise<number> {
  const channel = channelOfProcess();
  if (channel === undefined) {
    printError("gatehouse: gatehouse serve --workers begins workers; nobody else does\n");
    return 2;
  }
  const terminated = Promise.withResolvers<string>();
  process.on("SIGTERM", terminated.resolve);
  // A terminal sends them to all processes; the one that has begun this one passes on what is meant.
  for (const signal of ["SIGINT", "SIGHUP"]) process.on(signal, () => {});
  const link = await openWorkerLink(channel);
  const { host, port, flags, isFirst } = link.order;
  const { metrics, seat, door, count } = link;
  try {
    return await serveUntilStopped({
      config: { ...parseConfig(flags satisfies Flags, processEnvironment()), host, port },
      flags,
      shared: { isFirst, seat, door, metrics, count },
      stop: Promise.race([link.stop, terminated.promise]),
      isStopAsked: link.isStopAsked,
      onReload: link.onReload,
      tellReady: async (_url, signUpUrl) => link.tellServing(signUpUrl),
      lostWriteCode,
    });
  } catch (error) {
    link.close(); // it would keep the process
    throw error;
  }
}
