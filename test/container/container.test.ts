import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { eventually } from "../kernel/http/support/sockets.ts";
import { installPackage } from "../process/support/installed-package.ts";
import { kinds, requireProxy } from "../proxies/support/proxy.ts";
import {
  createPostgresServer,
  findFreePort,
  findPostgres,
  makePostgresFolder,
  type PostgresFolder,
  type PostgresServer,
} from "../support/postgres-cluster.ts";
import { makeTemporaryFolder } from "../support/temporary.ts";
import { type Container, startContainer } from "./support/containers.ts";
import { builder, createImages, type Image, requireProgram } from "./support/images.ts";

// The image and the services of docs/operate/container, built and run without a daemon. The base of the image has Node of this machine
// and nothing else, so what works here needs nothing else.

const documented = join(import.meta.dirname, "../../docs/operate/container");
const owner = 10_001;

let temporary: ReturnType<typeof makeTemporaryFolder>;
let image: Image;
beforeAll(async () => {
  requireProgram(builder, "buildah");
  temporary = makeTemporaryFolder();
  chmodSync(temporary.path, 0o755);
  const context = join(temporary.path, "context/lib/node_modules");
  mkdirSync(context, { recursive: true });
  const pack = makeTemporaryFolder();
  const { path } = installPackage(pack.path, "copies");
  cpSync(path, join(context, "gatehouse"), { recursive: true });
  pack.remove();
  const images = createImages(temporary.path);
  image = await images.build(join(documented, "Dockerfile"), join(temporary.path, "context"));
});
afterAll(async () => {
  temporary.remove();
});

/** A folder of this machine for the user of the image, as a new volume is. */
function makeVolume(name: string): string {
  const path = join(temporary.path, name);
  mkdirSync(path, { mode: 0o700 });
  chownSync(path, owner, owner);
  return path;
}

async function untilReady({ output, ended }: Container): Promise<void> {
  const isReady = eventually(() => output().includes("gatehouse ready on"));
  const isOver = ended.then((code) => Promise.reject(new Error(`ended with ${code}: ${output()}`)));
  isOver.catch(() => undefined); // it is told to end
  await Promise.race([isReady, isOver]);
}

test("a program that is missing is named, and what to install", () => {
  expect(() => requireProgram("/nowhere/buildah", "buildah")).toThrow(
    "/nowhere/buildah is missing: install the package buildah (.ci/install-container does)",
  );
});

describe("the image", () => {
  test("takes less than 300 MB, and has a user, a volume, a port and a signal", async () => {
    expect(await image.mebibytes()).toBeLessThan(300);
    const { User, Volumes, ExposedPorts, StopSignal } = image.settings;
    expect({ User, Volumes, ExposedPorts, StopSignal }).toEqual({
      User: "10001:10001",
      Volumes: { "/var/lib/gatehouse": {} },
      ExposedPorts: { "8080/tcp": {} },
      StopSignal: "SIGTERM",
    });
  });

  test("serves without any right on a root file system that is read-only, is healthy, and ends by SIGTERM", async () => {
    const port = await findFreePort();
    const container = startContainer(image, {
      environment: { GATEHOUSE_LISTEN: `127.0.0.1:${port}` },
      volumes: { "/var/lib/gatehouse": makeVolume("single-data") },
    });
    await untilReady(container);
    const program = "process.getuid() + ' ' + /CapEff:\\s*(\\S+)/.exec(fs.readFileSync('/proc/1/status'))[1]";
    expect(await container.execute(["node", "-p", program])).toBe(`${owner} 0000000000000000\n`);
    const write = ["node", "-e", "fs.writeFileSync('/opt/gatehouse/dist/src/main.js', '')"];
    await expect(container.execute(write)).rejects.toThrow("EROFS");
    const [kind, ...check] = image.settings.Healthcheck.Test;
    expect([kind, await container.execute(check)]).toEqual(["CMD", ""]);
    const elsewhere = ["node", "-e", "process.env.GATEHOUSE_LISTEN = '0.0.0.0:1';" + check.at(-1)];
    await expect(container.execute(elsewhere)).rejects.toThrow();
    container.signal("SIGTERM");
    expect(await container.ended).toBe(0);
  });
});

describe("the services of compose.yaml", () => {
  let folder: PostgresFolder;
  let database: PostgresServer;
  let sockets: string;
  beforeAll(async () => {
    requireProxy(kinds.caddy);
    const postgres = findPostgres();
    folder = makePostgresFolder(postgres);
    chmodSync(folder.path, 0o755);
    sockets = join(folder.path, "sockets");
    mkdirSync(sockets);
    const { uid = 0, gid = 0 } = postgres.user;
    chownSync(sockets, uid, gid);
    const settings = { listen_addresses: "", port: 5432, unix_socket_directories: sockets };
    database = await createPostgresServer(postgres, folder, { settings });
    const sql = (text: string) => postgres.run("psql", ["-h", sockets, "-U", "postgres", "-c", text]);
    await sql("CREATE ROLE gatehouse LOGIN");
    await sql("CREATE DATABASE gatehouse OWNER gatehouse TEMPLATE template0 ENCODING 'UTF8'");
  });
  afterAll(async () => {
    await database.stop();
    await folder.remove();
  });

  test("one command makes the installation; both processes serve it behind Caddy, and one may end", async () => {
    const ports = [await findFreePort(), await findFreePort()];
    const volumes = { "/var/lib/gatehouse": makeVolume("shared-data"), "/var/run/postgresql": sockets };
    const environment = { ...readEnvironment("localhost"), GATEHOUSE_TRUSTED_PROXIES: "127.0.0.1" };
    const init = startContainer(image, { command: ["init"], environment, volumes });
    expect([await init.ended, init.output()]).toEqual([0, expect.stringContaining("admin.link")]);
    const [first, second] = ports.map((port) => {
      const listen = { GATEHOUSE_LISTEN: `127.0.0.1:${port}` };
      return startContainer(image, { environment: { ...environment, ...listen }, volumes });
    }) as [Container, Container];
    await Promise.all([untilReady(first), untilReady(second)]);
    const proxy = await startCaddy(ports);
    try {
      expect(await proxy.get("/.well-known/openid-configuration")).toMatchObject({
        issuer: "https://localhost",
      });
      const token = readFileSync(join(volumes["/var/lib/gatehouse"], "admin.token"), "utf8").trim();
      const me = await proxy.get("/v1/users/me", token);
      expect(me).toHaveProperty("user.id");
      first.signal("SIGTERM");
      expect(await first.ended).toBe(0);
      for (let count = 0; count < 4; count += 1) expect(await proxy.get("/v1/users/me", token)).toEqual(me);
      second.signal("SIGTERM");
      expect(await second.ended).toBe(0);
    } finally {
      await proxy.stop();
    }
  });

  /** What compose.yaml gives to both processes. */
  function readEnvironment(domain: string): Readonly<Record<string, string>> {
    const compose = readFileSync(join(documented, "compose.yaml"), "utf8");
    const [, block = ""] = /^x-gatehouse:[^]*?^ {2}environment:\n((?: {4}.*\n)+)/m.exec(compose) ?? [];
    const pairs = [...block.matchAll(/^ {4}(\w+): (.+)$/gm)].map(([, name = "", value = ""]) => [
      name,
      value.replace(/\$\{DOMAIN[^}]*\}/, domain),
    ]);
    expect(pairs.length).toBe(5);
    return Object.fromEntries(pairs) as Record<string, string>;
  }

  /** Starts the Caddy of this machine with the configuration of the services, but with their ports here. */
  async function startCaddy(ports: readonly number[]) {
    const port = await findFreePort();
    let text = readFileSync(join(documented, "Caddyfile"), "utf8").replace("{$DOMAIN}", `localhost:${port}`);
    for (const [index, each] of ports.entries())
      text = text.replace(`h2c://gatehouse${index + 1}:8080`, `h2c://127.0.0.1:${each}`);
    const file = join(temporary.path, "Caddyfile");
    writeFileSync(file, `{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}\n${text}`);
    const home = { HOME: temporary.path, XDG_DATA_HOME: temporary.path, XDG_CONFIG_HOME: temporary.path };
    const child = spawn(kinds.caddy.program, kinds.caddy.command(file), { stdio: "ignore", env: home });
    const authority = join(temporary.path, "caddy/pki/authorities/local/root.crt");
    await eventually(() => existsSync(authority));
    const get = async (path: string, token?: string): Promise<unknown> => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const asked = request({ host: "localhost", port, path, headers, ca: readFileSync(authority) });
      asked.end();
      const [response] = await once(asked, "response");
      return await json(response);
    };
    await eventually(() =>
      get("/.well-known/openid-configuration").then(
        () => true,
        () => false,
      ),
    );
    return {
      get,
      async stop() {
        const exited = once(child, "exit");
        child.kill("SIGTERM");
        await exited;
      },
    };
  }
});
