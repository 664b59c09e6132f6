import { parseConfig } from "../config/config.ts";
import { requireUsableTls } from "../config/tls.ts";
import { type Flags, processEnvironment } from "../config/values.ts";
import { printReady, serveUntilStopped } from "./serve-until-stopped.ts";
import { listenForSignals } from "./terminal/signals.ts";

/** Serves until SIGTERM or SIGINT, then ends the process. A second signal ends it at once; SIGHUP reloads the certificate and shared master keys. */
export async function serve(flags: Flags): Promise<number> {
  const environment = processEnvironment();
  const config = parseConfig(flags, environment);
  requireUsableTls(config.tls);
  if (config.workers > 1) return await (await import("./serve-together.ts")).serveTogether(flags, config);
  let reload = () => {}; // a start reads the files anyway
  const signals = listenForSignals(() => reload());
  return await serveUntilStopped({
    config,
    flags,
    ...signals,
    onReload(given) {
      reload = given;
    },
    tellReady: printReady,
    lostWriteCode: 1,
  });
}
