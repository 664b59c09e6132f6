import { createSecureContext } from "node:tls";
import { ConfigError } from "./config.ts";

/** Throws ConfigError when the files of --tls-cert and --tls-key are not what the names say, or do not belong together. */
export function requireUsableTls(tls: { readonly cert: string; readonly key: string } | undefined): void {
  if (tls === undefined) return;
  requireThat("--tls-cert is not a certificate (PEM)", () => createSecureContext({ cert: tls.cert }));
  requireThat("--tls-key is not a private key without passphrase (PEM)", () =>
    createSecureContext({ key: tls.key }),
  );
  requireThat("--tls-key is not the key of --tls-cert", () => createSecureContext(tls));
}

function requireThat(failure: string, attempt: () => unknown): void {
  try {
    attempt();
  } catch (error) {
    throw new ConfigError(failure, { cause: error });
  }
}
