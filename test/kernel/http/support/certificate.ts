import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { makeTemporaryFolder } from "../../../support/temporary.ts";

/** Makes a certificate for 127.0.0.1 that is its own authority, with openssl. */
export function makeCertificate(): { readonly cert: Buffer; readonly key: Buffer } {
  const folder = makeTemporaryFolder();
  const [key, cert] = [join(folder.path, "key.pem"), join(folder.path, "cert.pem")];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
  execFileSync("openssl", ["req", "-x509", ...kind, "-keyout", key, "-out", cert, ...subject], {
    stdio: "ignore",
  });
  const made = { cert: readFileSync(cert), key: readFileSync(key) };
  folder.remove();
  return made;
}
