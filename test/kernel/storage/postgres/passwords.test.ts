import { afterAll, describe, expect, test } from "@jest/globals";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseAddress } from "../../../../src/kernel/storage/postgres/connect/address.ts";
import { DatabaseAddressError } from "../../../../src/kernel/storage/database-unusable.ts";
import { findPassword } from "../../../../src/kernel/storage/postgres/connect/passwords.ts";
import { readTlsOptions } from "../../../../src/kernel/storage/postgres/connect/tls.ts";
import { makeTemporaryFolder } from "../../../support/temporary.ts";

const folder = makeTemporaryFolder();
afterAll(folder.remove);
let files = 0;

function makeFile(text: string, mode = 0o600): string {
  const path = join(folder.path, `file-${++files}`);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

function find(
  environment: Record<string, string>,
  url = "postgres://app@db:5433/gatehouse",
): string | undefined {
  const address = parseAddress(url, { environment, isDev: false });
  const [server] = address.hosts;
  return server === undefined ? undefined : findPassword(address, server)?.reveal();
}

describe("a password", () => {
  test.each([
    ["db:5433:gatehouse:app:right", "right"],
    ["*:*:*:*:right", "right"],
    ["# a comment\nother:5433:gatehouse:app:wrong\ndb:5433:gatehouse:app:right\n*:*:*:*:wrong", "right"],
    [String.raw`db:5433:gatehouse:app:a\:b\\c`, String.raw`a:b\c`],
    ["db:5432:gatehouse:app:wrong", undefined],
    ["db:5433:other:app:wrong", undefined],
    ["db:5433:gatehouse:other:wrong", undefined],
    ["db:5433:gatehouse:app:", undefined],
    ["db:5433:gatehouse:app", undefined],
    ["", undefined],
  ])("is looked up in the file: %j", (text, expected) => {
    expect(find({ PGPASSFILE: makeFile(text) })).toBe(expected);
  });

  test("of a socket stands under localhost", () => {
    const url = "postgres://app@/gatehouse?host=/run/postgresql";
    expect(find({ PGPASSFILE: makeFile("localhost:5432:gatehouse:app:right") }, url)).toBe("right");
  });

  test("of the URL or the environment wins over the file", () => {
    const PGPASSFILE = makeFile("*:*:*:*:wrong");
    expect(find({ PGPASSFILE, PGPASSWORD: "right" })).toBe("right");
    expect(find({ PGPASSFILE }, "postgres://app:right@db/gatehouse")).toBe("right");
  });

  test("is read again for each connection", () => {
    const PGPASSFILE = makeFile("*:*:*:*:old");
    expect(find({ PGPASSFILE })).toBe("old");
    writeFileSync(PGPASSFILE, "*:*:*:*:new");
    expect(find({ PGPASSFILE })).toBe("new");
  });

  test("is not taken from a file that others can read", () => {
    const PGPASSFILE = makeFile("*:*:*:*:secret", 0o604);
    expect(() => find({ PGPASSFILE })).toThrow(DatabaseAddressError);
    expect(() => find({ PGPASSFILE })).toThrow("run chmod 600");
  });

  test("need not be in a file that nobody named", () => {
    expect(find({ HOME: folder.path })).toBeUndefined();
    expect(() => find({ PGPASSFILE: join(folder.path, "absent") })).toThrow("cannot be read: ENOENT");
  });
});

describe("the files of TLS", () => {
  const tls = {
    mode: "verify-full",
    rootCertificate: undefined,
    certificate: undefined,
    key: undefined,
  } as const;

  test("are checked before they are used", () => {
    const text = makeFile("no certificate");
    expect(() => readTlsOptions({ ...tls, rootCertificate: join(folder.path, "absent") }, "db")).toThrow(
      "sslrootcert cannot be read: ENOENT",
    );
    expect(() => readTlsOptions({ ...tls, certificate: text, key: text }, "db")).toThrow("must be in PEM");
    expect(() => readTlsOptions({ ...tls, certificate: text, key: makeFile("", 0o604) }, "db")).toThrow(
      "sslkey can be read by every user",
    );
  });

  test("are not needed on a socket", () => {
    expect(readTlsOptions({ ...tls, rootCertificate: "/absent" }, "/run/postgresql")).toBe(false);
    expect(readTlsOptions({ ...tls, mode: "disable" }, "db")).toBe(false);
  });

  test("check the certificate of the server as the mode says", () => {
    expect(readTlsOptions(tls, "db")).toMatchObject({ rejectUnauthorized: true });
    expect(readTlsOptions(tls, "db")).not.toHaveProperty("checkServerIdentity");
    expect(readTlsOptions({ ...tls, mode: "verify-ca" }, "db")).toMatchObject({ rejectUnauthorized: true });
    expect(readTlsOptions({ ...tls, mode: "require" }, "db")).toMatchObject({ rejectUnauthorized: false });
  });
});
