import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { ConfigError } from "./config.ts";

interface Tls {
  readonly cert: string;
  readonly key: string;
}

/** Throws ConfigError when the files of --tls-cert and --tls-key are not what the names say, or do not belong together. */
export function requireUsableTls(tls: Tls | undefined): void {
  if (tls === undefined) return;
  requireThat("--tls-cert is not a certificate (PEM)", () => createSecureContext({ cert: tls.cert }));
  requireThat("--tls-key is not a private key without passphrase (PEM)", () =>
    createSecureContext({ key: tls.key }),
  );
  requireThat("--tls-key is not the key of --tls-cert", () => createSecureContext(tls));
}

/**
 * Says whether the certificate is good at that instant, by its first and last day. One that is not is served all the same:
 * callers that do not check must not be cut off, and the others say why.
 */
export function validityOf(tls: Tls, nowMs: number): "valid" | "not-yet-valid" | "expired" {
  const { validFromDate, validToDate } = new X509Certificate(tls.cert);
  if (nowMs < validFromDate.getTime()) return "not-yet-valid";
  return nowMs > validToDate.getTime() ? "expired" : "valid";
}

function requireThat(failure: string, attempt: () => unknown): void {
  try {
    attempt();
  } catch (error) {
    throw new ConfigError(failure, { cause: error });
  }
}
