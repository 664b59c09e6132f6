import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import Sqlite from "better-sqlite3";
import { listMigrations } from "../../src/kernel/storage/schema-versions.ts";
import { makeTemporaryFolder } from "../support/temporary.ts";
import { installPackage, type PackedManifest } from "./support/installed-package.ts";

// The package as whoever installs it has it: what `npm pack` makes, with the packages that it depends on and no others.

const root = join(import.meta.dirname, "../..");
const migrations = join(root, "src/kernel/storage/sqlite/migrations");

let temporary: ReturnType<typeof makeTemporaryFolder>;
let installed: string;
let packed: PackedManifest;
beforeAll(() => {
  temporary = makeTemporaryFolder();
  ({ path: installed, manifest: packed } = installPackage(temporary.path, "links"));
});
afterAll(() => temporary.remove());

/** As `du` counts. */
function mebibytesOf(path: string): number {
  return Number(/^\d+/.exec(execFileSync("du", ["-skL", path], { encoding: "utf8" }))?.[0]) / 1024;
}

/** What is in the cache of compiled code: each file with the time of its last change. Node replaces what does not fit. */
function readCache(): readonly string[] {
  const entries = readdirSync(join(installed, "dist/cache"), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.map((path) => `${path} ${statSync(path).mtimeMs}`).toSorted();
}

/** Serves by the installed package on a free port. */
async function serve() {
  const data = join(temporary.path, "data");
  const args = [join(installed, "dist/src/main.js"), "serve", "--listen", "127.0.0.1:0", "--data", data];
  const child = spawn(process.execPath, ["--preserve-symlinks", ...args], {
    cwd: temporary.path,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const url = line.replace(/^gatehouse ready on /, "").replace("127.0.0.1", "localhost");
  return {
    url,
    async stop() {
      child.kill("SIGTERM");
      return await once(child, "exit");
    },
  };
}

describe("the package", () => {
  test("installs only what has binaries or types that programs share, and takes less than 60 MB", () => {
    expect(Object.keys(packed.dependencies)).toEqual([
      "@bufbuild/protobuf",
      "@connectrpc/connect",
      "@node-rs/argon2",
      "better-sqlite3",
      "jose",
    ]);
    expect(mebibytesOf(installed)).toBeLessThan(60);
    const licenses = readFileSync(join(installed, "dist/licenses.txt"), "utf8");
    expect(licenses).toMatch(/^pino \d.*\(MIT\)$/m);
    expect(licenses).toMatch(/^@connectrpc\/connect-web \d.*\(Apache-2.0\)$/m);
  });

  test("runs no script when it is installed, and packing it changes no file", () => {
    for (const name of ["preinstall", "install", "postinstall", "prepublish", "prepare"])
      expect([name, packed.scripts[name]]).toEqual([name, undefined]);
    const ours = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as PackedManifest;
    expect(ours.scripts).toHaveProperty("prepare");
    expect(ours).toHaveProperty("devDependencies");
  });

  test("brings the compiled code of a start, and a signal ends it", async () => {
    const before = readCache();
    expect(before.length).toBeGreaterThan(20);
    const service = await serve();
    const { status } = await fetch(`${service.url}/.well-known/openid-configuration`);
    expect([status, await service.stop()]).toEqual([200, [0, null]]);
    expect(readCache()).toEqual(before);
  });

  test("emulates in memory from a database that the build has made, and loads no client of HTTP", async () => {
    const empty = new Sqlite(readFileSync(join(installed, "dist/src/kernel/storage/sqlite/empty.db")));
    const versions = empty.prepare("SELECT version FROM migrations ORDER BY version").pluck().all();
    empty.close();
    expect(versions).toEqual(listMigrations(migrations).map(({ version }) => version));
    const printLoaded = `data:text/javascript,process.once("exit", () => console.log(process.moduleLoadList.join()))`;
    const args = [join(installed, "dist/src/main.js"), "emulator", "--listen", "127.0.0.1:0"];
    const child = spawn(process.execPath, ["--preserve-symlinks", "--import", printLoaded, ...args], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const lines = createInterface(child.stdout);
    let printed = "";
    lines.on("line", (line) => (printed = line));
    const [ready] = (await once(lines, "line")) as [string];
    const url = ready.replace("gatehouse emulator ready on ", "");
    expect((await fetch(`${url}/.well-known/openid-configuration`)).status).toBe(200);
    child.kill("SIGTERM");
    await once(child, "close");
    expect(printed).toContain("NativeModule http");
    expect(printed).not.toContain("undici");
  });

  test("has the built console, and neither its sources nor the tool that builds it", () => {
    const files = readdirSync(join(installed, "dist"), { recursive: true, encoding: "utf8" });
    expect(files).toContain("console/index.html");
    expect(files.filter((file) => file.startsWith("src/console/") || file.endsWith(".tsx"))).toEqual([]);
    expect(files.filter((file) => file.startsWith("console/") && file.endsWith(".map"))).toEqual([]);
    for (const name of ["vite", "preact", "rolldown", "axe-core"])
      expect([name, existsSync(join(installed, "node_modules", name))]).toEqual([name, false]);
  });

  test("serves the console, and a page without it", async () => {
    const service = await serve();
    try {
      const page = await fetch(`${service.url}/console/users/1`);
      expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
      const html = await page.text();
      expect(html).not.toMatch(/<style|style=|<script(?![^>]* src="\/console\/assets\/)/);
      const paths = [...html.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, path = ""]) => path);
      expect(paths.length).toBeGreaterThan(0);
      for (const path of paths) {
        const { status, headers } = await fetch(`${service.url}${path}`);
        expect([path, status, headers.get("cache-control")]).toEqual([
          path,
          200,
          "public, max-age=31536000, immutable",
        ]);
      }
    } finally {
      await service.stop();
    }
    rmSync(join(installed, "dist/console"), { recursive: true });
    const without = await serve();
    try {
      const answer = await fetch(`${without.url}/console/`);
      expect([answer.status, (await answer.text()).includes("npm run prepare")]).toEqual([503, true]);
    } finally {
      await without.stop();
    }
  });

  test("has the client, with its types: the program of docs/client.md runs", async () => {
    const app = join(temporary.path, "app");
    mkdirSync(join(app, "node_modules"), { recursive: true });
    symlinkSync(installed, join(app, "node_modules/gatehouse"));
    const [, program = ""] =
      /```ts\n([^]*?)```/.exec(readFileSync(join(root, "docs/client.md"), "utf8")) ?? [];
    const service = await serve();
    try {
      const token = readFileSync(join(temporary.path, "data/admin.token"), "utf8").trim();
      const filled = program.replace("https://id.example.com", service.url).replace("<token>", token);
      writeFileSync(join(app, "main.mts"), filled);
      const flags = [
        "--noEmit",
        "--strict",
        "--module",
        "nodenext",
        "--target",
        "es2024",
        "--lib",
        "es2024,dom",
      ];
      execFileSync(join(root, "node_modules/.bin/tsc"), [...flags, "--types", "", "main.mts"], { cwd: app });
      const printed = execFileSync(process.execPath, ["main.mts"], { cwd: app, encoding: "utf8" });
      expect(printed).toBe("seller\n");
    } finally {
      await service.stop();
    }
  });

  test("can be prepared where nothing builds the console", () => {
    mkdirSync(join(temporary.path, "bare/.tools"), { recursive: true });
    const tool = join(temporary.path, "bare/.tools/build-console.mjs");
    symlinkSync(join(root, ".tools/build-console.mjs"), tool);
    const printed = execFileSync(
      process.execPath,
      ["--preserve-symlinks", "--preserve-symlinks-main", tool, "--optional"],
      { encoding: "utf8" },
    );
    expect(printed).toBe("");
    expect(existsSync(join(temporary.path, "bare/dist"))).toBe(false);
  });
});
