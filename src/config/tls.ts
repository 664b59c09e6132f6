import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { ConfigError } from "./config-error.ts";

interface Tls {
  readonly cert: string;
  readonly key: string;
}

/** Throws ConfigError when --tls-cert is not a certificate, --tls-key is not a private key, or they do not match. */
export function requireUsableTls(tls: Tls | undefined): void {
  if (tls === undefined) return;
  requireThat("--tls-cert is not a certificate (PEM)", () => createSecureContext({ cert: tls.cert }));
  requireThat("--tls-key is not a private key without passphrase (PEM)", () =>
    createSecureContext({ key: tls.key }),
  );
  requireThat("--tls-key is not the key of --tls-cert", () => createSecureContext(tls));
}

/**
 * Says whether the certificate is valid at that instant, by its first and last day. The service uses an invalid one
 * too: clients that do not check keep working, and the others report the reason.
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
