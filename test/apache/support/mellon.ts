import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openUserAgent, type UserAgent } from "../../sites/oidc/support/user-agent.ts";
import { findFreeOrigin } from "../../support/free-origin.ts";
import { createHttpClient } from "../../support/http-client.ts";
import { makeTemporaryFolder } from "../../support/temporary.ts";
import { startApache } from "./apache.ts";

/** An Apache with mod_auth_mellon, a service provider of SAML. */
export interface Mellon {
  readonly origin: string;
  /** Its metadata, as it makes them itself. */
  readonly metadata: string;
  /** The browser's way to it. */
  openBrowser(): UserAgent;
  log(): string;
  stop(): Promise<void>;
}

/** Starts an Apache that trusts this identity provider, whose metadata it reads once. */
export async function startMellon(identityProvider: string): Promise<Mellon> {
  const origin = await findFreeOrigin();
  const folder = makeTemporaryFolder();
  chmodSync(folder.path, 0o755); // the workers of Apache are another user
  const [key, certificate, metadataFile] = ["key.pem", "certificate.pem", "metadata.xml"].map((name) =>
    join(folder.path, name),
  ) as [string, string, string]; // three names
  const kind = ["-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=sp.example"];
  execFileSync("openssl", ["req", "-x509", ...kind, "-keyout", key, "-out", certificate], {
    stdio: "ignore",
  });
  chmodSync(key, 0o644);
  writeFileSync(metadataFile, identityProvider);
  const apache = await startApache({
    origin,
    guard: "auth_mellon",
    lines: [
      "<Location />",
      "MellonEnable info",
      "MellonEndpointPath /mellon",
      `MellonSPentityId ${origin}/mellon/metadata`,
      `MellonSPPrivateKeyFile ${key}`,
      `MellonSPCertFile ${certificate}`,
      `MellonIdPMetadataFile ${metadataFile}`,
      "MellonUser UserName",
      "MellonSecureCookie Off",
      "</Location>",
    ],
  });
  const http = createHttpClient(origin.replace("localhost", "127.0.0.1"));
  const host = new URL(origin).host;
  const { status, text } = await http.send({ method: "GET", path: "/mellon/metadata", headers: { host } });
  if (status !== 200) throw new Error(`mod_auth_mellon has no metadata: ${status} ${apache.log()}`);
  return {
    origin,
    metadata: text,
    openBrowser: () =>
      openUserAgent({
        origin,
        send: ({ headers, ...request }) => http.send({ ...request, headers: { ...headers, host } }),
      }),
    log: apache.log,
    async stop() {
      http.close();
      await apache.stop();
      folder.remove();
    },
  };
}
