import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { chownSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { NoPrimaryError, ServerRefusedError } from "../../../src/kernel/storage/postgres/connect/errors.ts";
import type { Connector } from "../../../src/kernel/storage/postgres/connect/connector.ts";
import { sectionFacts } from "../../../src/kernel/storage/postgres/connect/server-facts.ts";
import type { Purpose } from "../../../src/kernel/storage/postgres/connect/session-settings.ts";
import { createCertificate } from "../../kernel/outbound/certificate.ts";
import { createTestClock } from "../../support/clock.ts";
import { findFreePort } from "../../support/postgres-cluster.ts";
import { connectTo, startCluster, type TestCluster } from "./support/cluster.ts";

let cluster: TestCluster;
let silent: Server;
const right = createCertificate(["127.0.0.1"]);
/** The common name in every certificate of the tests. */
const userName = "gatehouse test";
const wrong = createCertificate(["127.0.0.1"]);
const user = createCertificate([]);
const elsewhere = createCertificate(["db.example.com"]);

beforeAll(async () => {
  silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  cluster = await startCluster({ unix_socket_directories: "." });
  const { dataFolder } = cluster.server;
  const { uid = -1, gid = -1 } = cluster.programs.user;
  for (const [name, { cert, key }] of Object.entries({ right, elsewhere, user })) {
    for (const [kind, text] of Object.entries({ cert, key })) {
      const file = join(dataFolder, `${name}-${kind}.pem`);
      writeFileSync(file, text, { mode: 0o600 });
      chownSync(file, uid, gid);
    }
  }
  const access = join(dataFolder, "pg_hba.conf");
  const lines = [
    "host all known 127.0.0.1/32 scram-sha-256",
    "host all unasked 127.0.0.1/32 trust",
    "host all plain 127.0.0.1/32 password",
    "host all hashed 127.0.0.1/32 md5",
    `hostssl all "${userName}" 127.0.0.1/32 cert`,
  ];
  writeFileSync(access, [...lines, readFileSync(access, "utf8")].join("\n"));
  await cluster.ask("CREATE ROLE known LOGIN PASSWORD 'secret'");
  await cluster.ask(
    "CREATE ROLE unasked LOGIN; CREATE ROLE plain LOGIN PASSWORD 'secret'; SET password_encryption = 'md5'; CREATE ROLE hashed LOGIN PASSWORD 'secret'",
  );
  await cluster.ask(`CREATE ROLE "${userName}" LOGIN`);
  await cluster.configure("ssl_ca_file", "user-cert.pem");
  await presentCertificate("right");
});
afterAll(async () => {
  silent.close();
  await cluster.folder.remove();
});

/** Lets the server present a certificate to connections from now on. */
async function presentCertificate(name: "right" | "elsewhere"): Promise<void> {
  await cluster.configure("ssl_cert_file", `${name}-cert.pem`);
  await cluster.configure("ssl_key_file", `${name}-key.pem`);
  await cluster.configure("ssl", "on");
}

/** Connects, asks, and ends the connection. */
async function askBy(connector: Connector, sql: string, purpose: Purpose = "read"): Promise<unknown> {
  const { client } = await connector.connect(purpose, { giveUpAfterMs: 5000 });
  try {
    return (await client.query(sql)).rows[0];
  } finally {
    await client.end();
  }
}

const connectOnce = (connector: Connector, giveUpAfterMs = 500) =>
  connector.connect("read", { giveUpAfterMs });

describe("channel_binding", () => {
  const askWith = (role: string, binding: string, more = "") => {
    const url = cluster.server.url().replace("postgres@", `${role}:secret@`);
    const root = join(cluster.server.dataFolder, "right-cert.pem");
    const connector = connectTo(
      `${url}?sslmode=verify-full&sslrootcert=${root}&channel_binding=${binding}${more}`,
    );
    return askBy(connector, "SELECT current_user AS name, current_setting('geqo') AS geqo");
  };

  test.each(["require", "prefer", "disable"])(
    "%s lets in by SCRAM, with the options of the url",
    async (binding) => {
      const asked = askWith("known", binding, "&options=-c%20geqo%3Doff");
      expect(await asked).toEqual({ name: "known", geqo: "off" });
    },
  );

  test.each(["unasked", "plain", "hashed"])(
    "require refuses a server that takes %s without it",
    async (role) => {
      await expect(askWith(role, "require")).rejects.toThrow(/channel_binding=require demands/);
      expect(await askWith(role, "prefer")).toMatchObject({ name: role });
    },
  );
});

describe("a session", () => {
  test("has the settings that we need, whatever the defaults of the database", async () => {
    const url = await cluster.makeDatabase();
    const name = new URL(url).pathname.slice(1);
    for (const setting of [
      "synchronous_commit = off",
      "default_transaction_isolation = 'serializable'",
      "search_path = elsewhere",
      "TimeZone = 'Asia/Tokyo'",
      "client_min_messages = 'error'",
      "idle_session_timeout = '1min'",
    ]) {
      await cluster.ask(`ALTER DATABASE ${name} SET ${setting}`);
    }
    const shown = [
      "synchronous_commit",
      "default_transaction_isolation",
      "search_path",
      "TimeZone",
      "client_min_messages",
      "idle_session_timeout",
      "enable_seqscan",
      "plan_cache_mode",
      "jit",
      "application_name",
    ];
    const columns = shown.map((setting) => `current_setting('${setting}') AS "${setting}"`);
    expect(await askBy(connectTo(url), `SELECT ${columns.join(", ")}`)).toEqual({
      synchronous_commit: "on",
      default_transaction_isolation: "read committed",
      search_path: "public, pg_temp",
      TimeZone: "UTC",
      client_min_messages: "warning",
      idle_session_timeout: "0",
      enable_seqscan: "off",
      plan_cache_mode: "force_generic_plan",
      jit: "off",
      application_name: "gatehouse read",
    });
  });

  test("waits for a standby to have applied a commit if the server demands that", async () => {
    const url = await cluster.makeDatabase();
    await cluster.ask(
      `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = remote_apply`,
    );
    const sql = "SELECT current_setting('synchronous_commit') AS mode";
    expect(await askBy(connectTo(url), sql)).toEqual({ mode: "remote_apply" });
  });

  test.each<[Purpose, string, string, string]>([
    ["section", "5200ms", "5s", "5s"],
    ["read", "5200ms", "5s", "5s"],
    ["locks", "5200ms", "5s", "5s"],
    ["migration", "0", "0", "1min"],
    ["vacuum", "0", "5s", "5s"],
  ])("for %s has its time limits", async (purpose, statement, lock, idle) => {
    const names = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"];
    const columns = names.map((name, index) => `current_setting('${name}') AS limit_${index}`);
    expect(await askBy(connectTo(cluster.server.url()), `SELECT ${columns.join(", ")}`, purpose)).toEqual({
      limit_0: statement,
      limit_1: lock,
      limit_2: idle,
    });
  });

  test("knows the timeline, as a section does", async () => {
    const connector = connectTo(cluster.server.url());
    const { client, timeline, host } = await connectOnce(connector);
    expect(timeline).toBe(1);
    expect(host).toEqual({ host: "127.0.0.1", port: cluster.server.port });
    const { rows } = await client.query(`SELECT ${sectionFacts}`);
    expect(rows).toEqual([{ timeline: "1", synchronous_standby_names: "" }]);
    expect(connector.fence.timeline()).toBe(1);
    await client.end();
  });

  test("outlives an error of its connection", async () => {
    const { client } = await connectOnce(connectTo(cluster.server.url()));
    const ended = Promise.withResolvers<void>();
    client.once("end", ended.resolve);
    await cluster.ask(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'gatehouse read'",
    );
    await ended.promise;
    await expect(client.query("SELECT 1")).rejects.toThrow();
  });
});

describe("a server", () => {
  test("is passed over if it cannot be reached or does not answer", async () => {
    const address = silent.address();
    const silentPort = typeof address === "object" ? address?.port : undefined;
    const hosts = [await findFreePort(), silentPort, cluster.server.port].map((port) => `127.0.0.1:${port}`);
    const url = `postgres://postgres@${hosts.join(",")}/postgres?connect_timeout=1`;
    const { client, host } = await connectOnce(connectTo(url), 5000);
    expect(host.port).toBe(cluster.server.port);
    await client.end();
    const alone = connectTo(`postgres://postgres@${hosts[0]},${hosts[1]}/postgres?connect_timeout=1`);
    const failed = connectOnce(alone, 1200);
    await expect(failed).rejects.toThrow(NoPrimaryError);
    await expect(failed).rejects.toThrow(`${hosts[0]}: connect ECONNREFUSED ${hosts[0]}`);
    await expect(failed).rejects.toThrow(`${hosts[1]}: it did not answer within 1000 ms`);
  });

  test("is looked for until the signal aborts", async () => {
    const end = new AbortController();
    const url = `postgres://postgres@127.0.0.1:${await findFreePort()}/postgres`;
    const found = connectTo(url).connect("read", { giveUpAfterMs: 60_000, signal: end.signal });
    end.abort();
    await expect(found).rejects.toThrow(NoPrimaryError);
  });

  test.each<[string, string]>([
    ["postgres://postgres@HOST/absent", 'database "absent" does not exist'],
    ["postgres://absent@HOST/postgres", 'role "absent" does not exist'],
    ["postgres://known@HOST/postgres", "it asks for a password"],
    ["postgres://known:guess@HOST/postgres", "password authentication failed"],
  ])("that refuses us for good is not asked again: %s", async (url, reason) => {
    const connector = connectTo(url.replace("HOST", `127.0.0.1:${cluster.server.port}`));
    const refused = connectOnce(connector, 60_000);
    await expect(refused).rejects.toThrow(ServerRefusedError);
    await expect(refused).rejects.toThrow(reason);
    await expect(refused).rejects.not.toThrow("guess");
  });

  test("is reached by its socket", async () => {
    const { dataFolder, port } = cluster.server;
    const url = `postgres://postgres@/postgres?host=${dataFolder}&port=${port}`;
    const sql = "SELECT inet_server_addr() IS NULL AS is_socket";
    expect(await askBy(connectTo(url), sql)).toEqual({ is_socket: true });
  });

  test("takes the password of the environment", async () => {
    const environment = { PGPASSWORD: "secret" };
    const url = cluster.server.url("postgres", "known");
    expect(await askBy(connectTo(url, { environment }), "SELECT current_user AS name")).toEqual({
      name: "known",
    });
  });

  test("is refused if its database has another encoding", async () => {
    const url = await cluster.makeDatabase("ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
    await expect(connectOnce(connectTo(url))).rejects.toThrow("the encoding of the database is LATIN1");
  });

  test("is not used while its commits wait for no standby, where they must", async () => {
    const connector = connectTo(cluster.server.url(), { isSynchronousRequired: true });
    await expect(connectOnce(connector)).rejects.toThrow("its commits wait for no standby");
  });

  test("is not used while it accepts no changes", async () => {
    const url = await cluster.makeDatabase();
    await cluster.ask(
      `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`,
    );
    await expect(connectOnce(connectTo(url))).rejects.toThrow("it accepts no changes");
  });
});

describe("the clock", () => {
  test("is noted once while it differs by a second, and refused for a minute", async () => {
    const skews: number[] = [];
    const clock = createTestClock(Date.now() - 10_000);
    const connector = connectTo(cluster.server.url(), { clock, onClockSkew: (skewMs) => skews.push(skewMs) });
    await askBy(connector, "SELECT 1");
    await askBy(connector, "SELECT 1");
    expect(skews).toHaveLength(1);
    expect(Math.abs((skews[0] ?? 0) - 10_000)).toBeLessThan(9000);
    clock.turn(-100_000);
    await askBy(connector, "SELECT 1"); // a process that runs goes on
    const starting = connectTo(cluster.server.url(), { clock });
    await expect(connectOnce(starting)).rejects.toThrow(/its clock differs by 1\d\d s/);
  });
});

describe("TLS", () => {
  const connectBy = (mode: string, root: { readonly cert: string }, isDev = false) => {
    const file = join(cluster.folder.path, `root-${root === right ? 1 : root === wrong ? 2 : 3}.pem`);
    writeFileSync(file, root.cert);
    const url = `${cluster.server.url()}?sslmode=${mode}&sslrootcert=${file}`;
    const sql = "SELECT ssl::text FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    return askBy(connectTo(url, { isDev }), sql);
  };

  test("encrypts, and checks who signed the certificate of the server", async () => {
    expect(await connectBy("verify-full", right)).toEqual({ ssl: "true" });
    await expect(connectBy("verify-full", wrong)).rejects.toThrow(ServerRefusedError);
    await expect(connectBy("verify-ca", wrong)).rejects.toThrow(ServerRefusedError);
    expect(await connectBy("require", wrong)).toEqual({ ssl: "true" });
    expect(await connectBy("disable", right)).toEqual({ ssl: "false" });
  });

  test("shows the certificate of the user, where the server asks for one", async () => {
    const [root, certificate, key] = ["root-own", "cert-own", "key-own"].map((name) =>
      join(cluster.folder.path, `${name}.pem`),
    ) as [string, string, string];
    writeFileSync(root, right.cert);
    writeFileSync(certificate, user.cert);
    writeFileSync(key, user.key, { mode: 0o600 });
    const url = cluster.server.url("postgres", encodeURIComponent(userName));
    const all = `${url}?sslmode=verify-full&sslrootcert=${root}`;
    const sql = "SELECT current_user AS name";
    expect(await askBy(connectTo(`${all}&sslcert=${certificate}&sslkey=${key}`), sql)).toEqual({
      name: userName,
    });
    await expect(connectOnce(connectTo(all))).rejects.toThrow(ServerRefusedError);
  });

  test("checks the name of the server, unless it is told not to", async () => {
    await presentCertificate("elsewhere");
    await expect(connectBy("verify-full", elsewhere)).rejects.toThrow(ServerRefusedError);
    expect(await connectBy("verify-ca", elsewhere)).toEqual({ ssl: "true" });
    await presentCertificate("right");
  });
});

describe("a server that may lose data in a crash", () => {
  test("is used only in local mode", async () => {
    const risky = await startCluster({ fsync: "off" });
    try {
      await expect(connectOnce(connectTo(risky.server.url()))).rejects.toThrow("fsync is off");
      await askBy(connectTo(risky.server.url(), { isDev: true }), "SELECT 1");
    } finally {
      await risky.folder.remove();
    }
  });
});
