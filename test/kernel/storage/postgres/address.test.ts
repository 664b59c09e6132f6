import { describe, expect, test } from "@jest/globals";
import { inspect } from "node:util";
import {
  type AddressOptions,
  parseAddress,
  type PostgresAddress,
  printUrl,
} from "../../../../src/kernel/storage/postgres/connect/address.ts";
import { DatabaseAddressError } from "../../../../src/kernel/storage/database-unusable.ts";

const parse = (url: string, options: Partial<AddressOptions> = {}): PostgresAddress =>
  parseAddress(url, { environment: {}, isDev: false, ...options });

describe("the URL of a database", () => {
  test("names user, hosts and database; the rest has defaults", () => {
    expect(parse("postgres://app@db.example.com/gatehouse")).toEqual({
      hosts: [{ host: "db.example.com", port: 5432 }],
      user: "app",
      database: "gatehouse",
      password: undefined,
      passwordFile: undefined,
      tls: { mode: "verify-full", rootCertificate: undefined, certificate: undefined, key: undefined },
      channelBinding: "prefer",
      options: undefined,
      applicationName: "gatehouse",
      connectTimeoutMs: 2000,
    });
  });

  test.each([
    [
      "a:5433,b",
      [
        ["a", 5433],
        ["b", 5432],
      ],
    ],
    [
      "[::1]:5433,[2001:db8::2]",
      [
        ["::1", 5433],
        ["2001:db8::2", 5432],
      ],
    ],
    ["127.0.0.1", [["127.0.0.1", 5432]]],
    ["%2Frun%2Fpostgresql", [["/run/postgresql", 5432]]],
  ])("names the hosts of %s", (hosts, expected) => {
    const { hosts: found } = parse(`postgresql://app@${hosts}/gatehouse`, { isDev: true });
    expect(found.map(({ host, port }) => [host, port])).toEqual(expected);
  });

  test("names the folder of a socket, and its port, by parameters", () => {
    const { hosts, tls } = parse("postgres://app@/gatehouse?host=/run/postgresql&port=5433");
    expect(hosts).toEqual([{ host: "/run/postgresql", port: 5433 }]);
    expect(tls.mode).toBe("disable");
  });

  test("takes channel_binding and options, also of the environment", () => {
    const neon =
      "postgresql://app:p@db/gatehouse?sslmode=verify-full&channel_binding=require&options=endpoint%3Da-b";
    expect(parse(neon)).toMatchObject({ channelBinding: "require", options: "endpoint=a-b" });
    const environment = { PGCHANNELBINDING: "disable", PGOPTIONS: "-c geqo=off" };
    const url = "postgres://app@db/gatehouse";
    expect(parse(url, { environment })).toMatchObject({ channelBinding: "disable", options: "-c geqo=off" });
    expect(parse(`${url}?channel_binding=prefer`, { environment })).toMatchObject({
      channelBinding: "prefer",
    });
  });

  test("may hold any character, encoded", () => {
    const { user, password, database } = parse("postgres://a%40b:p%2F%3A%40%25@db/n%C3%A4me");
    expect([user, password?.reveal(), database]).toEqual(["a@b", "p/:@%", "näme"]);
  });

  test("may say how the connection is made", () => {
    const address = parse(
      "postgres://app@db/gatehouse?application_name=one&connect_timeout=3&sslmode=verify-full&sslrootcert=/r&sslcert=/c&sslkey=/k&target_session_attrs=read-write",
    );
    expect(address.applicationName).toBe("one");
    expect(address.connectTimeoutMs).toBe(3000);
    expect(address.tls).toEqual({
      mode: "verify-full",
      rootCertificate: "/r",
      certificate: "/c",
      key: "/k",
    });
  });

  test.each([
    ["mysql://app@db/gatehouse", "it must have the form"],
    ["postgres://app:p@ss@db/gatehouse", "it must have the form"],
    ["postgres://app@db/gatehouse#part", "it must have the form"],
    ["postgres://db/gatehouse", "it must name a user"],
    ["postgres://app@db", "it must name a database"],
    ["postgres://app@/gatehouse", "it must name a host"],
    ["postgres://app@a,,b/gatehouse", "it must name a host"],
    ["postgres://app@a,a:5432/gatehouse", "it names a host twice"],
    ["postgres://app@db:0/gatehouse", "a port must be"],
    ["postgres://app@db:65536/gatehouse", "a port must be"],
    ["postgres://app@db:x/gatehouse", "a port must be"],
    ["postgres://app@::1/gatehouse", "a host must be written as"],
    ["postgres://app@[db]/gatehouse", "what is in brackets"],
    ["postgres://app@d%20b/gatehouse", "a host must be a name"],
    ["postgres://app@/gatehouse?host=/a,/b&port=1,2,3", "one port for all hosts"],
    ["postgres://app@db/gatehouse?passwort=secret", "its parameters may be"],
    ["postgres://app@db/gatehouse?sslmode", "its parameters may be"],
    ["postgres://app@db/gatehouse?channel_binding=always", "channel_binding must be one of"],
    ["postgres://app@localhost/gatehouse?channel_binding=require", "needs TLS"],
    ["postgres://app@/gatehouse?host=/run/postgresql&channel_binding=require", "needs TLS"],
    ["postgres://app@db/gatehouse?port=1&port=2", "port is there twice"],
    ["postgres://app@db/gatehouse?connect_timeout=0", "connect_timeout must be"],
    ["postgres://app@db/gatehouse?sslmode=prefer", "sslmode must be one of"],
    ["postgres://app@db/gatehouse?sslcert=/c", "sslcert and sslkey"],
    ["postgres://app@db/gatehouse?target_session_attrs=any", "target_session_attrs may only be"],
    ["postgres://app:secret%@db/gatehouse", "its password has a %"],
    ["postgres://app:secret%00@db/gatehouse", "its password has a %"],
  ])("is refused: %s", (url, reason) => {
    expect(() => parse(url)).toThrow(DatabaseAddressError);
    expect(() => parse(url)).toThrow(reason);
    expect(() => parse(url)).not.toThrow(/secret|p@ss/);
  });
});

describe("TLS", () => {
  test.each(["db.example.com", "10.0.0.1", "localhost,db.example.com", "127.example.com"])(
    "is verify-full for %s, and nothing less without --dev",
    (host) => {
      expect(parse(`postgres://app@${host}/gatehouse`).tls.mode).toBe("verify-full");
      for (const mode of ["disable", "require", "verify-ca"]) {
        const url = `postgres://app@${host}/gatehouse?sslmode=${mode}`;
        expect(() => parse(url)).toThrow(`sslmode=${mode} is allowed only`);
        expect(parse(url, { isDev: true }).tls.mode).toBe(mode);
      }
    },
  );

  test.each(["localhost", "127.0.0.1", "[::1]", "%2Frun%2Fpostgresql"])("is not needed for %s", (host) => {
    expect(parse(`postgres://app@${host}/gatehouse`).tls.mode).toBe("disable");
    expect(parse(`postgres://app@${host}/gatehouse?sslmode=verify-full`).tls.mode).toBe("verify-full");
  });

  test("is not weakened by the environment", () => {
    const environment = { PGSSLMODE: "disable" };
    expect(() => parse("postgres://app@db/gatehouse", { environment })).toThrow(
      "sslmode=disable is allowed only",
    );
  });
});

describe("the environment", () => {
  test("gives what the URL leaves out", () => {
    const environment = {
      PGUSER: "app",
      PGPASSWORD: "secret",
      PGPASSFILE: "/etc/pgpass",
      PGAPPNAME: "one",
      PGSSLROOTCERT: "/r",
    };
    const address = parse("postgres://db/gatehouse", { environment });
    expect(address).toMatchObject({
      user: "app",
      applicationName: "one",
      passwordFile: { path: "/etc/pgpass", isNamed: true },
      tls: { rootCertificate: "/r" },
    });
    expect(address.password?.reveal()).toBe("secret");
  });

  test("gives way to the URL", () => {
    const environment = { PGUSER: "other", PGPASSWORD: "other" };
    const { user, password } = parse("postgres://app:secret@db/gatehouse", { environment });
    expect([user, password?.reveal()]).toEqual(["app", "secret"]);
  });

  test("says where .pgpass is", () => {
    const { passwordFile } = parse("postgres://app@db/gatehouse", { environment: { HOME: "/home/app" } });
    expect(passwordFile).toEqual({ path: "/home/app/.pgpass", isNamed: false });
  });
});

describe("printing", () => {
  const address = parse("postgres://a%40b:hush@db:5433,[::1]/gate%20house", { isDev: true });

  test("shows everything but the password", () => {
    expect(printUrl(address)).toBe("postgres://a%40b@db:5433,[::1]:5432/gate%20house?sslmode=verify-full");
    expect(`${inspect(address)}${JSON.stringify(address)}`).not.toContain("hush");
  });

  test.each([
    "postgres://app@db:5433,b:5432/gatehouse?sslmode=verify-full",
    "postgres://app@/gatehouse?host=/run/postgresql&port=5433&sslmode=disable",
  ])("shows a URL that leads to the same place: %s", (url) => {
    expect(printUrl(parse(url))).toBe(url);
    expect(parse(printUrl(parse(url)))).toEqual(parse(url));
  });
});
