import { beforeAll, expect, test } from "@jest/globals";
import { startCluster, type TestCluster } from "../connect/support/cluster.ts";
import { useDatabaseSites } from "./support/site.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startCluster();
});
const sites = useDatabaseSites(() => cluster);

test("a place that cannot be used is explained in one line, without the password", async () => {
  const site = await sites.make();
  const { server, ask } = cluster;
  await site.init();
  await ask("CREATE DATABASE foreign_one");
  await ask("CREATE TABLE songs (name TEXT)", server.url("foreign_one"));
  await ask("CREATE DATABASE empty_one");
  await ask("CREATE DATABASE old_encoding TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'");
  const at = `127.0.0.1:${server.port}`;
  const cases: readonly (readonly [url: string, args: readonly string[], message: RegExp])[] = [
    [
      "postgres://postgres:canary@127.0.0.1:1/x",
      [],
      /: no primary could be reached: 127\.0\.0\.1:1: .*ECONNREFUSED.*; is PostgreSQL running there, and is the port right\?$/,
    ],
    [
      `postgres://nobody:canary@${at}/x`,
      [],
      /role "nobody" does not exist; check the user, PGPASSWORD or PGPASSFILE/,
    ],
    [server.url("nowhere"), [], /database "nowhere" does not exist; create it with: CREATE DATABASE/],
    [`${site.url}?sslmode=verify-full`, [], /The server does not support SSL/],
    [
      site.url,
      ["--require-synchronous", "yes"],
      /its commits wait for no standby .*--require-synchronous=no/,
    ],
    [
      server.url("foreign_one"),
      [],
      /cannot be used: it belongs to another program; create an empty database/,
    ],
    [server.url("empty_one"), [], /there is no installation in postgres:.*; gatehouse init creates one$/],
    [server.url("old_encoding"), [], /encoding/],
  ];
  for (const [url, args, message] of cases) {
    const { code, stdout, stderr } = await site.run(["token", "create", ...args], {
      GATEHOUSE_DATABASE: url,
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^gatehouse: [^\n]*\n$/);
    expect(stderr.trimEnd()).toMatch(message);
    expect(stderr).not.toContain("canary");
  }
});

test("a URL that is wrong is a wrong usage, and what is wrong is said without the password", async () => {
  const site = await sites.make();
  const cases: readonly (readonly [url: string, message: RegExp])[] = [
    ["mysql://a:canary@b/c", /it must have the form postgres:\/\/user@host:port\/name/],
    ["postgres://a:canary@b:70000/c", /a port must be a number from 1 to 65535/],
    ["postgres://a:canary@b/c?sslmode=perhaps", /sslmode must be one of/],
  ];
  for (const [url, message] of cases) {
    const ended = await site.run(["serve"], { GATEHOUSE_DATABASE: url });
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(/^gatehouse: the URL of the database cannot be used: [^\n]*\n$/);
    expect(ended.stderr).toMatch(message);
    expect(ended.stderr).not.toContain("canary");
  }
});

test("a database of a newer version is refused by every command", async () => {
  const site = await sites.make();
  await site.init();
  await site.ask("INSERT INTO migrations (version, date) VALUES (99, 0)");
  for (const args of [["serve"], ["token", "create"], ["events"], ["rebuild"]]) {
    const { code, stderr } = await site.run(args);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^gatehouse: the database has version 99, but this program supports only/,
      ),
    });
  }
});

test("a wrong password is refused, and the right one of PGPASSWORD is taken", async () => {
  const site = await sites.make();
  await site.init();
  await cluster.ask("CREATE ROLE somebody LOGIN SUPERUSER PASSWORD 'canary'");
  const url = site.url.replace("postgres@", "somebody@");
  const { code } = await site.run(["doctor", "--database", url], { PGPASSWORD: "canary" });
  expect(code).toBe(0);
});
