import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, test } from "@jest/globals";
import { readNamed } from "../pages/support/page.ts";
import { makeTemporaryFolder } from "../support/temporary.ts";

// The command, which test/emulator tests in one process: it is ready soon, and leaves nothing behind.

const root = join(import.meta.dirname, "../..");
const temporary = makeTemporaryFolder();
const running: ChildProcess[] = [];
afterAll(() => {
  for (const child of running) child.kill("SIGKILL");
  temporary.remove();
});

/** Starts an emulator in an empty folder, which is also where it would keep anything temporary. */
async function start(environment: Readonly<Record<string, string>> = {}) {
  const folder = join(temporary.path, String(running.length));
  mkdirSync(folder);
  const child = spawn(process.execPath, [join(root, "src/main.ts"), "emulator", "--listen", "127.0.0.1:0"], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      TMPDIR: folder,
      SQLITE_TMPDIR: folder,
      NODE_COMPILE_CACHE: join(root, "node_modules/.cache/gatehouse"),
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.push(child);
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    if (lines.length === (environment["GATEHOUSE_EMULATOR_TOKEN"] === undefined ? 2 : 1)) break;
  }
  const [ready = "", printed = ""] = lines;
  const url = ready.replace("gatehouse emulator ready on ", "");
  return {
    child,
    url,
    token: printed.replace("Token: ", ""),
    stderr: () => stderr,
    listFiles: () => readdirSync(folder, { recursive: true }),
  };
}

async function post(
  { url, token }: { readonly url: string; readonly token: string },
  path: string,
  body: object,
) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: answer.status, json: (await answer.json()) as Readonly<Record<string, unknown>> };
}

test("is loud, makes no file, and has other keys and another token at each start", async () => {
  const environment = {
    GATEHOUSE_DATA: "elsewhere",
    GATEHOUSE_DATABASE: "postgres://nowhere.invalid/gatehouse",
  };
  const [one, other] = await Promise.all([start(environment), start()]);
  expect(one.stderr()).toContain("This is an EMULATOR for tests");
  expect((await post(one, "/v1/projects", { name: "Shop" })).status).toBe(200);
  expect((await post({ ...one, token: other.token }, "/v1/projects", { name: "Shop" })).status).toBe(401);
  const keysOf = async ({ url }: typeof one) => await (await fetch(`${url}/oauth/v2/keys`)).text();
  expect(await keysOf(one)).not.toBe(await keysOf(other));
  for (const each of [one, other]) {
    each.child.kill("SIGTERM");
    expect(await once(each.child, "exit")).toEqual([0, null]);
    expect(each.listFiles()).toEqual([]);
    expect(each.stderr()).not.toContain("level");
  }
});

test("takes the token that it was given, prints none, and resets in a few milliseconds", async () => {
  const token = "a-token-that-the-tests-know";
  const emulator = { ...(await start({ GATEHOUSE_EMULATOR_TOKEN: token })), token };
  for (let round = 0; round < 3; round += 1) await post(emulator, "/v1/emulator/reset", {}); // until it is warm
  const tookMs: number[] = [];
  for (let round = 0; round < 20; round += 1) {
    await post(emulator, "/v1/projects", { name: "Shop" });
    const startMs = performance.now();
    expect((await post(emulator, "/v1/emulator/reset", {})).status).toBe(200);
    tookMs.push(performance.now() - startMs);
  }
  const median = tookMs.toSorted((left, right) => left - right)[10];
  process.stderr.write(`reset: ${median?.toFixed(1)} ms\n`);
  expect(median).toBeLessThan(50); // 10 on a machine that does nothing else
});

test("does what docs/emulator.md shows", async () => {
  const token = "a-token-for-my-tests";
  const { url } = await start({ GATEHOUSE_EMULATOR_TOKEN: token });
  const [, ...blocks] = readNamed("docs/emulator.md", "emulator"); // the first one starts it
  const script = blocks.join("").replaceAll("http://localhost:8085", url);
  const printed = execFileSync("bash", ["-e"], { input: script }).toString();
  expect(printed).toMatch(/"clientSecret":[^]*"idToken":"ey[^]*"messages":[^]*"date":/);
  expect(printed).not.toContain('"message":');
});

test("refuses other addresses and arguments with a sentence", async () => {
  const refuse = async (args: readonly string[]) => {
    const child = spawn(process.execPath, [join(root, "src/main.ts"), "emulator", ...args], {
      stdio: "pipe",
    });
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    const [code] = (await once(child, "close")) as [number];
    return { code, stderr };
  };
  expect(await refuse(["--listen", "0.0.0.0:0"])).toEqual({
    code: 2,
    stderr: "gatehouse: --listen: an emulator listens on localhost, 127.0.0.1 or [::1] only\n",
  });
  expect((await refuse(["--data", "folder"])).code).toBe(2);
});
