import { beforeAll, describe, expect, test } from "@jest/globals";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { openSamlNames, putSamlNames } from "../../process/support/saml-names.ts";
import { type Site, useDatabaseSites } from "./support/site.ts";

const sites = useDatabaseSites();

describe("gatehouse init", () => {
  test("makes key file, tables, instance and token, for their owner only, and prints no secret", async () => {
    const site = await sites.make();
    const made = await site.init();
    expect(made).toMatchObject({ code: 0, stderr: "" });
    expect(made.stdout).toBe(
      `key file: ${site.keyFile}; copy it to every process, and keep another copy: nothing can be read without it\ntoken of the administrator: ${site.tokenFile}\nlink for the first administrator: gatehouse setup link --issuer <origin> makes it\n`,
    );
    for (const file of [site.keyFile, site.tokenFile]) expect(statSync(file).mode & 0o777).toBe(0o600);
    const serving = await site.serve();
    await site.addProject(serving, "First");
    expect(await serving.stop()).toBe(0);
  });

  test("writes the link for the first administrator if it knows the issuer, and later the key file is enough", async () => {
    const site = await sites.make();
    const issuer = ["--issuer", "https://id.example.com"];
    const made = await site.run(["init", "--admin-token-file", site.tokenFile, ...issuer]);
    const file = site.file("data/admin.link");
    expect(made.stdout).toContain(`link for the first administrator: ${file}; it can be used once`);
    const first = readFileSync(file, "utf8");
    const later = await site.run(["setup", "link", ...issuer]);
    for (const link of [first, later.stdout])
      expect(link).toMatch(/^https:\/\/id\.example\.com\/login\/setup\/[\w-]{72}\n$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

describe("gatehouse serve", () => {
  test("makes the instance in an empty database if there is a key file, and none without", async () => {
    const site = await sites.make();
    const refused = await site.run(["serve"]);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toBe(
      `gatehouse: there is no ${site.keyFile}; copy it from another process, or let gatehouse init create it with a new installation\n`,
    );
    writeFileSync(site.keyFile, `k1 ${Buffer.alloc(32, 7).toString("base64")}\n`, { mode: 0o600 });
    const serving = await site.serve();
    expect(readFileSync(site.file("data/admin.token"), "utf8")).toMatch(/\S{20,}\n/);
    expect(await serving.stop()).toBe(0);
  });
});

describe("gatehouse setup link", () => {
  test("needs the key file and nothing else", async () => {
    const site = await sites.make();
    const link = () => site.run(["setup", "link", "--issuer", "https://id.example.com"]);
    expect(await link()).toEqual({
      code: 1,
      stdout: "",
      stderr: `gatehouse: there is no ${site.keyFile}; copy it from another process, or let gatehouse init create it with a new installation\n`,
    });
    await site.init();
    const made = await link();
    expect(made).toEqual({ code: 0, stdout: readFileSync(site.file("data/admin.link"), "utf8"), stderr: "" });
    expect(made.stdout).toMatch(/^https:\/\/id\.example\.com\/login\/setup\/[\w-]{72}\n$/);
  });
});

describe("gatehouse token create and rebuild", () => {
  test("work beside processes; a rebuild of a used database needs --force", async () => {
    const site = await sites.make();
    await site.init();
    const serving = await site.serve();
    await site.addProject(serving, "Kept");
    const { code, stdout } = await site.run(["token", "create"]);
    expect(code).toBe(0);
    const headers = { authorization: `Bearer ${stdout.trim()}` };
    expect((await fetch(`${serving.url}/v1/users/me`, { headers })).status).toBe(200);
    expect(await site.run(["rebuild"])).toEqual({
      code: 1,
      stdout: "",
      stderr: "gatehouse: other processes of gatehouse are using the database; stop them first\n",
    });
    await site.ask("DELETE FROM projects");
    expect(await site.run(["rebuild", "--force"])).toEqual({
      code: 0,
      stdout: "6 events applied\n",
      stderr: "",
    });
    expect(await site.ask("SELECT name FROM projects")).toEqual([{ name: "Kept" }]);
    expect(await serving.stop()).toBe(0);
    expect(await site.run(["rebuild"])).toMatchObject({ code: 0, stdout: "6 events applied\n" });
  });
});

describe("gatehouse events", () => {
  test("prints what there is, and follows the changes of a process", async () => {
    const site = await sites.make();
    await site.init();
    const serving = await site.serve();
    const printed = await site.run(["events"]);
    expect(printed).toMatchObject({ code: 0, stderr: "" });
    expect(printed.stdout.trim().split("\n")).toHaveLength(4);
    const following = site.start(["events", "--follow"]);
    await site.addProject(serving, "Followed");
    let seen = "";
    for await (const chunk of following.child.stdout ?? []) {
      seen += String(chunk);
      if (seen.includes('"Followed"')) break;
    }
    following.child.kill("SIGTERM");
    expect(await following.exited).toBe(0);
    await serving.stop();
  });
});

describe("gatehouse keys", () => {
  test("rotate while processes serve: nothing is refused before, between or after the steps", async () => {
    const site = await sites.make();
    await site.init();
    const serving = await site.serve();
    const keyOf = (at: number) => readFileSync(site.keyFile, "utf8").split("\n")[at]?.split(" ")[0] ?? "";
    const sealedBy = async () =>
      await site.ask("SELECT DISTINCT key_id FROM secrets WHERE id LIKE 'organization-key:%'");
    const old = keyOf(0);
    expect((await site.run(["keys", "rotate"])).stderr).toContain("has one key only");
    expect(await site.run(["keys", "add"])).toMatchObject({ code: 0, stderr: "" });
    const reload = async () => {
      serving.child.kill("SIGHUP");
      await serving.logged("keys.reloaded");
    };
    await reload();
    expect(await sealedBy()).toEqual([{ key_id: old }]);
    const rotated = await site.run(["keys", "rotate"]);
    expect(rotated).toMatchObject({ code: 0, stderr: "" });
    expect(rotated.stdout).toContain(`new key ${keyOf(0)}: 1 values are now encrypted with it`);
    expect(rotated.stdout).toContain("send each process a SIGHUP");
    expect(await sealedBy()).toEqual([{ key_id: keyOf(0) }]);
    await site.addProject(serving, "With both");
    await reload();
    expect((await site.run(["keys", "rotate"])).stdout).not.toContain("SIGHUP");
    expect(await serving.stop()).toBe(0);
    expect((await site.run(["doctor"])).code).toBe(0);
  });

  test("rotate takes names in SAML sessions along while a process serves, run again those that were encrypted meanwhile", async () => {
    const site = await sites.make();
    await site.init();
    const where = { database: site.url, "master-key-file": site.keyFile, data: site.file("data") };
    const names = 501; // two portions
    await putSamlNames(where, names);
    await site.ask("CREATE TABLE earlier AS SELECT * FROM saml_participations ORDER BY session_id LIMIT 3");
    const serving = await site.serve();
    const reload = async () => {
      serving.child.kill("SIGHUP");
      await serving.logged("keys.reloaded");
    };
    await site.run(["keys", "add"]);
    await reload();
    const [next = "", old = ""] = readFileSync(site.keyFile, "utf8").split("\n");
    const [nextId = "", oldId = ""] = [next, old].map((line) => line.split(" ")[0]);
    const unneeded = `old key ${oldId}: no stored value needs it`;
    const rotated = await site.run(["keys", "rotate"]);
    expect(rotated).toMatchObject({ code: 0, stderr: "" });
    expect(rotated.stdout).toContain(`new key ${nextId}: ${names + 1} values are now encrypted with it`);
    expect(rotated.stdout).toContain(unneeded);

    await site.ask(
      "UPDATE saml_participations s SET key_id = e.key_id, name_id = e.name_id FROM earlier e WHERE s.session_id = e.session_id",
    );
    const again = await site.run(["keys", "rotate"]);
    expect(again.stdout).toContain(`new key ${nextId}: 3 values are now encrypted with it`);
    expect(again.stdout).toContain(unneeded);

    writeFileSync(site.keyFile, `${next}\n`);
    const held = await openSamlNames(where, names);
    expect(held.filter(({ keyId, value }) => keyId === nextId && value !== undefined)).toHaveLength(names);
    expect(await serving.stop()).toBe(0);
    expect((await site.run(["doctor"])).code).toBe(0);
  });
});

describe("on a database that has an instance", () => {
  let site: Site;
  beforeAll(async () => {
    site = await sites.make();
    await site.init();
  });

  test("gatehouse init overwrites no file, and leaves none behind when the database has an instance", async () => {
    const key = readFileSync(site.keyFile, "utf8");
    expect(await site.init()).toEqual({
      code: 1,
      stdout: "",
      stderr: `gatehouse: ${site.keyFile} already exists; choose another name, or remove it if nothing needs it\n`,
    });
    const other = [
      "--master-key-file",
      site.file("other.key"),
      "--admin-token-file",
      site.file("other.token"),
      "--issuer",
      "https://id.example.com",
    ];
    expect(await site.run(["init", ...other])).toEqual({
      code: 1,
      stdout: "",
      stderr: "gatehouse: the database already has an instance; copy its key file instead\n",
    });
    expect(existsSync(site.file("other.key"))).toBe(false);
    expect(existsSync(site.file("other.token"))).toBe(false);
    expect(existsSync(site.file("data/admin.link"))).toBe(false);
    expect(readFileSync(site.keyFile, "utf8")).toBe(key);
  });

  test("gatehouse serve refuses a key file that the instance does not know, and one that all users can read", async () => {
    const other = site.file("other.key");
    const runOther = () => site.run(["serve", "--master-key-file", other]);
    writeFileSync(other, `k1 ${Buffer.alloc(32, 7).toString("base64")}\n`, { mode: 0o600 });
    expect((await runOther()).stderr).toMatch(
      /^gatehouse: the key file is wrong: the key \w+ that the database was used with is missing\n$/,
    );
    writeFileSync(site.file("open.key"), readFileSync(site.keyFile), { mode: 0o644 });
    expect((await site.run(["serve", "--master-key-file", site.file("open.key")])).stderr).toContain(
      "can be read by every user of this machine",
    );
  });

  test("a process whose key file lacks the key that encrypts does not start", async () => {
    const old = readFileSync(site.keyFile, "utf8");
    await site.run(["keys", "add"]);
    await site.run(["keys", "rotate"]);
    writeFileSync(site.keyFile, old);
    expect((await site.run(["serve"])).stderr).toMatch(
      /^gatehouse: the key file is wrong: the key \w+ .* missing\n$/,
    );
  });
});

test("gatehouse backup names the program that makes one, and fails", async () => {
  const site = await sites.make();
  const { code, stderr } = await site.run(["backup", "copy.dump"]);
  expect(code).toBe(1);
  expect(stderr).toContain("pg_dump --format=custom --file='copy.dump' --dbname='postgres://");
});
