import { describe, expect, test } from "@jest/globals";
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createKeyring, parseMasterKeys } from "../../src/kernel/base/keyring.ts";
import { systemRandom } from "../../src/kernel/base/random.ts";
import { readSetupCode } from "../../src/identity/instance/setup-link.ts";
import { type Place, usePlaces } from "./support/place.ts";

const createPlace = usePlaces();
const issuer = "https://id.example.com";

const readLink = (place: Place) => readFileSync(place.file("admin.link"), "utf8");
const isOurs = (place: Place, link: string) => {
  const keys = parseMasterKeys(readFileSync(place.file("master.key"), "utf8"));
  const keyring = createKeyring(keys, systemRandom);
  return readSetupCode(link.trimEnd().split("/").at(-1) ?? "", { keyring, nowMs: Date.now() }) !== undefined;
};

describe("gatehouse setup link", () => {
  test("makes another link, whether or not the service runs, and without the database", async () => {
    const place = createPlace();
    const serving = await place.serve(["--issuer", issuer]);
    const first = readLink(place);
    expect(first).toMatch(/^https:\/\/id\.example\.com\/login\/setup\/[\w-]{72}\n$/);
    expect(serving.stderr()).not.toContain(first.trimEnd());
    expect(isOurs(place, first)).toBe(true);

    const beside = await place.run(["setup", "link", "--issuer", issuer]);
    expect(beside).toEqual({ code: 0, stdout: readLink(place), stderr: "" });
    expect(beside.stdout).not.toBe(first);
    expect(isOurs(place, beside.stdout)).toBe(true);
    expect(await serving.stop()).toBe(0);

    chmodSync(place.file("admin.link"), 0o644);
    for (const name of ["gatehouse.db", "admin.link"]) rmSync(place.file(name));
    const local = await place.run(["setup", "link"]);
    expect(local.stdout).toMatch(/^http:\/\/localhost:8080\/login\/setup\/[\w-]{72}\n$/);
    expect(isOurs(place, local.stdout)).toBe(true);
    expect(statSync(place.file("admin.link")).mode & 0o777).toBe(0o600);
    expect(existsSync(place.file("gatehouse.db"))).toBe(false);
  });

  test("says what is missing, and makes nothing", async () => {
    const place = createPlace();
    const run = (...args: string[]) => place.run(["setup", "link", ...args]);
    const noIssuer =
      "gatehouse: setup link needs --issuer, the origin under which browsers reach the service; give it what gatehouse serve gets\n";
    expect(await run("--listen", "0.0.0.0:8080")).toEqual({ code: 2, stdout: "", stderr: noIssuer });
    expect(await run("--listen", "127.0.0.1:0")).toEqual({ code: 2, stdout: "", stderr: noIssuer });
    expect(await run("--issuer", issuer)).toEqual({
      code: 1,
      stdout: "",
      stderr: `gatehouse: there is no ${place.file("master.key")}; the first start of gatehouse serve creates it\n`,
    });
    expect(existsSync(place.path)).toBe(false);
  });

  test("refuses a key file that is damaged", async () => {
    const place = createPlace();
    const serving = await place.serve();
    await serving.stop();
    writeFileSync(place.file("master.key"), "k1 short\n", { mode: 0o600 });
    const before = readLink(place);
    expect(await place.run(["setup", "link"])).toMatchObject({ code: 1, stdout: "" });
    expect(readLink(place)).toBe(before);
  });
});
