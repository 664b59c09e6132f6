import { readFileSync, statSync } from "node:fs";
import { type ConnectionOptions, createSecureContext } from "node:tls";
import { DatabaseAddressError } from "../../database-unusable.ts";
import type { TlsOptions } from "./address.ts";

/**
 * Returns the TLS options for a connection to a host; false without TLS, as on a socket. Reads the files at each call,
 * so that renewed certificates count from the next connection on. Throws DatabaseAddressError for an unusable file.
 */
export function readTlsOptions(tls: TlsOptions, host: string): ConnectionOptions | false {
  if (tls.mode === "disable" || host.startsWith("/")) return false;
  requirePrivate(tls.key);
  const ca = readPem("sslrootcert", tls.rootCertificate);
  const cert = readPem("sslcert", tls.certificate);
  const key = readPem("sslkey", tls.key);
  return {
    secureContext: requireUsable(() => createSecureContext({ ca, cert, key, minVersion: "TLSv1.2" })),
    rejectUnauthorized: tls.mode !== "require",
    ...(tls.mode === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
  };
}

function requirePrivate(file: string | undefined): void {
  const mode = file === undefined ? 0 : (statSync(file, { throwIfNoEntry: false })?.mode ?? 0);
  if ((mode & 0o007) !== 0) {
    throw new DatabaseAddressError(`sslkey can be read by every user of this machine; run chmod 600 on it`);
  }
}

function readPem(name: string, file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException; // only node:fs throws here
    throw new DatabaseAddressError(`${name} cannot be read: ${code}`, { cause: error });
  }
}

function requireUsable<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new DatabaseAddressError(
      "sslrootcert, sslcert and sslkey must be in PEM, the key without a passphrase and that of the certificate",
      { cause: error },
    );
  }
}
