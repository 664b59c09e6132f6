import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createCertificate } from "../../kernel/outbound/certificate.ts";

const program = "/usr/sbin/slapd";

/** Where everything is in these directories. */
export const suffix = "dc=example,dc=org";
/** The service account. */
export const reader = { dn: `cn=reader,${suffix}`, password: "password of the reader" };
/** The certificate that all servers have. */
export const certificate = createCertificate(["127.0.0.1"]);

/** A directory of OpenLDAP in a folder of its own. */
export interface Slapd {
  /** Without encryption, or with STARTTLS. */
  readonly url: string;
  /** With TLS from the first byte. */
  readonly secureUrl: string;
  stop(): Promise<void>;
  /** Starts it again, on the same ports. */
  start(): Promise<void>;
  remove(): Promise<void>;
}

/** What a directory is made with. */
export interface SlapdSetup {
  /** Entries in LDIF (RFC 2849), below the suffix, which is there. */
  readonly ldif: string;
  /** More lines of the configuration, of the database. */
  readonly lines?: readonly string[];
}

/** Starts slapd, which `.ci/install-slapd` installs. Throws when it is missing. */
export async function startSlapd({ ldif, lines = [] }: SlapdSetup): Promise<Slapd> {
  if (!existsSync(program)) throw new Error("slapd is missing: .ci/install-slapd installs it");
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-slapd-"));
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  mkdirSync(join(folder, "data"));
  const config = file(
    "slapd.conf",
    [
      ...["core", "cosine", "inetorgperson"].map((schema) => `include /etc/ldap/schema/${schema}.schema`),
      "modulepath /usr/lib/ldap",
      "moduleload back_mdb",
      "moduleload memberof",
      `pidfile ${join(folder, "slapd.pid")}`,
      `TLSCertificateFile ${file("cert.pem", certificate.cert)}`,
      `TLSCertificateKeyFile ${file("key.pem", certificate.key)}`,
      "sizelimit 500",
      "database mdb",
      `suffix "${suffix}"`,
      `rootdn "cn=root,${suffix}"`,
      "rootpw secret",
      `directory ${join(folder, "data")}`,
      "maxsize 1073741824",
      "index objectClass,uid,mail,entryUUID,member eq",
      ...lines,
      "overlay memberof",
      "access to attrs=userPassword by anonymous auth by * none",
      "access to * by * read",
      "",
    ].join("\n"),
  );
  const { dn, password } = reader;
  const base = [
    `dn: ${suffix}\nobjectClass: dcObject\nobjectClass: organization\no: Example\ndc: example`,
    `dn: ${dn}\nobjectClass: organizationalRole\nobjectClass: simpleSecurityObject\ncn: reader\nuserPassword: ${password}`,
    ...["people", "groups"].map((ou) => `dn: ou=${ou},${suffix}\nobjectClass: organizationalUnit\nou: ${ou}`),
  ];
  const data = file("data.ldif", `${base.join("\n\n")}\n\n${ldif}`);
  execFileSync("/usr/sbin/slapadd", ["-q", "-f", config, "-l", data], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [port, securePort] = [await findFreePort(), await findFreePort()];
  const urls = { url: `ldap://127.0.0.1:${port}`, secureUrl: `ldaps://127.0.0.1:${securePort}` };
  let process: ChildProcess | undefined;
  const start = async () => {
    process = spawn(program, ["-h", `${urls.url} ${urls.secureUrl}`, "-f", config, "-d", "0"], {
      stdio: "ignore",
    });
    await waitForPort(port);
  };
  const stop = async () => {
    const running = process;
    process = undefined;
    if (running === undefined) return;
    running.kill("SIGTERM");
    await once(running, "exit");
  };
  await start();
  return {
    ...urls,
    start,
    stop,
    async remove() {
      await stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Writes somebody as LDIF; values in base64, so that none has to be escaped. */
export function personLdif(rdn: string, uid: string, more: readonly string[] = []): string {
  const value = (name: string, text: string) => `${name}:: ${Buffer.from(text).toString("base64")}`;
  return [
    value("dn", `${rdn},ou=people,${suffix}`),
    "objectClass: inetOrgPerson",
    value("uid", uid),
    value("cn", `Person ${uid}`),
    value("sn", "Family"),
    value("givenName", "Given"),
    value("displayName", "Given Family"),
    value("userPassword", `password of ${uid}`),
    ...more,
    "",
    "",
  ].join("\n");
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on TCP
  server.close();
  await once(server, "close");
  return port;
}

/** A server that has just been started does not listen yet. */
async function waitForPort(port: number): Promise<void> {
  for (let count = 0; count < 200; count++) {
    const socket = connect({ host: "127.0.0.1", port });
    const isThere = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
    });
    socket.destroy();
    if (isThere) return;
    await pause(25);
  }
  throw new Error("slapd does not listen");
}
