import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, chmodSync, constants, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { makeCertificate } from "../../kernel/http/support/certificate.ts";
import { findFreePort } from "../../support/postgres-cluster.ts";
import { makeTemporaryFolder } from "../../support/temporary.ts";

/** A reverse proxy with TLS in front of a service. */
export interface Proxy {
  readonly port: number;
  /** The certificate to trust. */
  readonly ca: Buffer;
  stop(): Promise<void>;
}

/** What a configuration is changed for: its place on this machine. */
interface Site {
  readonly port: number;
  readonly upstreamPort: number;
  readonly folder: string;
}

interface Kind {
  readonly program: string;
  readonly package: string;
  /** The configuration, in `docs/operate/proxies`. */
  readonly file: string;
  /** Text of the configuration that is replaced; each must be in it. */
  readonly replaced: (site: Site) => readonly (readonly [from: string, to: string])[];
  /** What surrounds it, where the file is a part of the whole. */
  readonly whole: (text: string, site: Site) => string;
  readonly command: (file: string) => readonly string[];
  readonly environment?: (site: Site) => Readonly<Record<string, string>>;
}

const upstream = ({ upstreamPort }: Site) => ["127.0.0.1:8080", `127.0.0.1:${upstreamPort}`] as const;
const certificate = "/etc/ssl/login.example.com";

/** The proxies that the documentation has configurations for. */
export const kinds = {
  nginx: {
    program: "/usr/sbin/nginx",
    package: "nginx-light",
    file: "nginx.conf",
    replaced: (site) => [
      ["    server 127.0.0.1:8080;", `    server 127.0.0.1:${site.upstreamPort};`],
      ["listen 443 ssl http2;", `listen 127.0.0.1:${site.port} ssl http2;`],
      [`${certificate}.pem`, join(site.folder, "cert.pem")],
      [`${certificate}.key`, join(site.folder, "key.pem")],
    ],
    whole: (text, { folder }) => {
      const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
      const temporary = paths.map((name) => `${name}_temp_path ${join(folder, name)};`).join("\n");
      const rest = `error_log ${join(folder, "error.log")};\naccess_log off;\n${temporary}`;
      return `daemon off;\npid ${join(folder, "pid")};\nevents {}\nhttp {\n${rest}\n${text}\n}\n`;
    },
    command: (file) => ["-e", "stderr", "-c", file],
  },
  haproxy: {
    program: "/usr/sbin/haproxy",
    package: "haproxy",
    file: "haproxy.cfg",
    replaced: (site) => [
      ["    server gatehouse1 127.0.0.1:8080 ", `    server gatehouse1 127.0.0.1:${site.upstreamPort} `],
      ["bind :443 ", `bind 127.0.0.1:${site.port} `],
      ["/etc/haproxy/login.example.com.pem", join(site.folder, "both.pem")],
      ["inter 2s", "inter 300ms"],
    ],
    whole: (text, { folder }) => `global\n    stats socket ${join(folder, "stats")}\n${text}`,
    command: (file) => ["-db", "-f", file],
  },
  caddy: {
    program: "/usr/bin/caddy",
    package: "caddy",
    file: "Caddyfile",
    replaced: (site) => [
      [`h2c://${upstream(site)[0]} {`, `h2c://${upstream(site)[1]} {`],
      ["login.example.com {", `https://127.0.0.1:${site.port} {`],
      [
        `tls ${certificate}.pem ${certificate}.key`,
        `tls ${join(site.folder, "cert.pem")} ${join(site.folder, "key.pem")}`,
      ],
    ],
    whole: (text) => `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${text}`,
    command: (file) => ["run", "--adapter", "caddyfile", "--config", file],
    environment: ({ folder }) => ({ HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder }),
  },
} as const satisfies Record<string, Kind>;

export type ProxyKind = keyof typeof kinds;

/** Throws an error that says what to install if there is no such program. */
export function requireProxy({ program, package: name }: Pick<Kind, "program" | "package">): void {
  try {
    accessSync(program, constants.X_OK);
  } catch {
    throw new Error(`${program} is missing: install the package ${name} (.ci/install-proxies does)`);
  }
}

/** Starts the proxy with the configuration of the documentation, in front of the service at the port. */
export async function startProxy(
  name: ProxyKind,
  upstreamPort: number,
): Promise<Proxy & { readonly folder: string }> {
  const kind: Kind = kinds[name];
  requireProxy(kind);
  const folder = makeTemporaryFolder();
  chmodSync(folder.path, 0o755); // workers may be another user
  const { cert, key } = makeCertificate();
  for (const [file, bytes] of Object.entries({ cert, key, both: Buffer.concat([cert, key]) }))
    writeFileSync(join(folder.path, `${file}.pem`), bytes);
  const site: Site = { port: await findFreePort(), upstreamPort, folder: folder.path };
  const file = join(folder.path, kind.file);
  writeFileSync(file, kind.whole(configurationOf(kind, site), site));
  const child = spawn(kind.program, kind.command(file), {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], ...kind.environment?.(site) },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const exited = once(child, "exit");
  const ended = exited.then(() => {
    throw new Error(`${kind.program} ended: ${output}`);
  });
  await Promise.race([ended, untilListening(site.port)]);
  ended.catch(() => undefined); // it is told to end
  return {
    port: site.port,
    ca: cert,
    folder: folder.path,
    async stop() {
      child.kill("SIGTERM");
      await exited;
      folder.remove();
    },
  };
}

function configurationOf(kind: Kind, site: Site): string {
  let text = readFileSync(join(import.meta.dirname, "../../../docs/operate/proxies", kind.file), "utf8");
  for (const [from, to] of kind.replaced(site)) {
    if (!text.includes(from)) throw new Error(`${kind.file} has no ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

async function untilListening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    const isThere = await Promise.race([
      once(socket, "connect").then(() => true),
      once(socket, "error").then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isThere) return;
    await pause(20);
  }
}
