import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { afterAll, afterEach, describe, expect, test } from "@jest/globals";
import type { DirectoryConnection } from "../../../../src/kernel/base/directory/directory.ts";
import { Secret } from "../../../../src/kernel/base/secret.ts";
import { createDirectories } from "../../../../src/kernel/outbound/directory/directories.ts";
import { startTestDirectory, type TestEntry } from "../../../support/directory/test-directory.ts";
import { createCertificate } from "../certificate.ts";

const people: TestEntry[] = ["ada", "bob", "cyd"].map((uid) => ({
  dn: `uid=${uid},dc=example`,
  password: `of ${uid}`,
  attributes: { uid, objectClass: "person" },
}));
const certificate = createCertificate(["127.0.0.1", "dc1.example.com"]);
const plain = await startTestDirectory(people);
const secured = await startTestDirectory(people, { ...certificate, isFromStart: true });
const upgraded = await startTestDirectory(people, { ...certificate, isFromStart: false });
afterEach(() => {
  for (const each of [plain, secured, upgraded]) each.play({});
});
afterAll(async () => {
  for (const each of [plain, secured, upgraded]) await each.stop();
});

const here = createDirectories({ dev: true, allowedHosts: [], plainTextHosts: [] });
const limits = { timeoutMs: 2_000, maxBytes: 65_536 };
const { cert: trustedCertificates } = certificate;

/** Works at a directory and closes the connection. */
async function at<T>(
  server: { readonly url: string; readonly isPlainText?: boolean; readonly trustedCertificates?: string },
  work: (connection: DirectoryConnection) => Promise<T>,
  within = limits,
): Promise<T> {
  const connection = await here.open({ isPlainText: false, trustedCertificates, ...server }, within);
  try {
    return await work(connection);
  } finally {
    connection.close();
  }
}

const bindAsAda = (connection: DirectoryConnection) =>
  connection.bind("uid=ada,dc=example", new Secret("of ada"));
const everybody = {
  base: "dc=example",
  filter: { kind: "written", text: "(objectClass=*)" } as const,
  attributes: ["uid"],
};

describe("a server", () => {
  test.each([
    ["http://dc1.example.com", false, "ldaps:// or ldap://"],
    ["ldaps://dc1.example.com/dc=example??sub", false, "ldaps:// or ldap://"],
    ["ldaps://user@dc1.example.com", false, "ldaps:// or ldap://"],
    ["ldaps://dc1.example.com:0", false, "ldaps:// or ldap://"],
    ["ldaps://10.0.0.1", false, "public host"],
    ["ldaps://localhost", false, "public host"],
    ["ldaps://[::1]", false, "public host"],
    ["ldap://dc1.example.com", true, "encrypted"],
    ["ldap://dc1.example.com", false, "allowed"],
    ["ldaps://dc1.example.com:6360", true, "allowed"],
    ["ldap://plain.example.com", true, "allowed"],
    ["ldaps://10.0.0.7", false, "allowed"],
  ])("%s (plain text: %s) is forbidden or not", (url, isPlainText, reason) => {
    const rules = createDirectories({
      dev: false,
      allowedHosts: ["10.0.0.7"],
      plainTextHosts: ["plain.example.com"],
    });
    expect(rules.violationOf({ url, isPlainText }) ?? "allowed").toContain(reason);
  });

  test("whose name means a private address is not connected to", async () => {
    const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
    const rules = createDirectories({ dev: false, allowedHosts: [], plainTextHosts: [], resolve });
    const before = secured.asked.length;
    const url = secured.url.replace("127.0.0.1", "dc1.example.com");
    const opening = rules.open({ url, isPlainText: false, trustedCertificates }, limits);
    await expect(opening).rejects.toMatchObject({ kind: "unreachable" });
    expect(secured.asked.length).toBe(before);
  });

  test.each([
    ["from the first byte", secured],
    ["after STARTTLS", upgraded],
  ])("is spoken to encrypted, %s", async (_name, directory) => {
    expect(await at(directory, bindAsAda)).toBe(true);
    expect(directory.asked.find(({ dn }) => dn === "uid=ada,dc=example")?.isEncrypted).toBe(true);
  });

  test("gets no password before STARTTLS, and none without it", async () => {
    await expect(at(plain, bindAsAda)).rejects.toMatchObject({ kind: "refused" });
    expect(plain.asked.some(({ operation }) => operation === "bind")).toBe(false);
  });

  test.each([
    ["that nobody trusts", { trustedCertificates: "" }],
    ["of another host", { url: secured.url.replace("127.0.0.1", "localhost") }],
  ])("with a certificate %s gets nothing", async (_name, changed) => {
    const before = secured.asked.length;
    await expect(at({ ...secured, ...changed }, bindAsAda)).rejects.toMatchObject({ kind: "unreachable" });
    expect(secured.asked.length).toBe(before);
  });
});

const open = { url: plain.url, isPlainText: true };

describe("a bind", () => {
  test.each([
    ["with a wrong password", "uid=ada,dc=example", "of bob", false],
    ["of an entry that does not exist", "uid=eve,dc=example", "of eve", false],
  ])("%s is refused", async (_name, dn, password, isIn) => {
    expect(await at(open, (connection) => connection.bind(dn, new Secret(password)))).toBe(isIn);
  });

  test.each([
    ["without a password", "uid=ada,dc=example", ""],
    ["with one that NUL ends", "uid=ada,dc=example", "of ada\0"],
    ["without a name", "", "of ada"],
    ["with the name of a mechanism", "EXTERNAL", "of ada"],
  ])("%s is not sent", async (_name, dn, password) => {
    const before = plain.asked.length;
    const binding = at(open, (connection) => connection.bind(dn, new Secret(password)));
    await expect(binding).rejects.toMatchObject({ kind: "refused" });
    expect(plain.asked.slice(before).some(({ operation }) => operation === "bind")).toBe(false);
  });

  test.each([
    [10, "refused"],
    [53, "refused"],
    [51, "unreachable"],
    [52, "unreachable"],
  ])("that is answered with code %i raises %s: a referral is followed by nobody", async (bindCode, kind) => {
    plain.play({ bindCode });
    await expect(at(open, bindAsAda)).rejects.toMatchObject({ kind, detail: `bind: code ${bindCode}` });
  });
});

describe("a search", () => {
  test("finds no more than was asked for", async () => {
    const found = await at(open, (connection) => connection.search(everybody, 2));
    expect(found.map(({ dn }) => dn)).toEqual(["uid=ada,dc=example", "uid=bob,dc=example"]);
  });

  test.each([false, true])("in pages finds all entries (with empty pages: %s)", async (hasEmptyPages) => {
    const many = Array.from({ length: 1201 }, (_, index) => ({
      dn: `uid=u${index},dc=example`,
      attributes: { uid: `u${index}`, objectClass: "person" },
    }));
    const directory = await startTestDirectory(many);
    directory.play({ hasEmptyPages });
    const sizes = await at(
      { url: directory.url, isPlainText: true },
      async (connection) => {
        const pages: number[] = [];
        for await (const page of connection.pages(everybody)) pages.push(page.length);
        return pages;
      },
      { ...limits, maxBytes: 1_000_000 },
    );
    await directory.stop();
    expect(sizes.filter((size) => size > 0)).toEqual([500, 500, 201]);
  });
});

describe("a server that means harm", () => {
  const bytes = (hex: string) => () => Buffer.from(hex, "hex");

  test.each([
    ["a length that is larger than what there is", bytes("300a02010264050401613064")],
    ["an attribute that is cut off", bytes("301002010164 0b0401613006 30040401 7531".replaceAll(" ", ""))],
    ["an indefinite length", bytes("3080020101")],
    ["a length of many bytes", bytes("308affffffffffffffffffff")],
    ["an answer to something else", bytes("300c02010161070a010004000400")],
    ["an answer that nobody asked for", bytes("300c02016365070a010004000400")],
    ["a result without a code", bytes("300702010165020400")],
    ["no LDAP at all", () => Buffer.from("HTTP/1.1 200 OK\r\n\r\n")],
  ])("and sends %s is left at once", async (_name, answer) => {
    plain.play({ answers: { search: answer } });
    const searching = at(open, (connection) => connection.search(everybody, 2));
    await expect(searching).rejects.toMatchObject({ kind: "unreachable" });
  });

  test("and sends more than the limit is left", async () => {
    plain.play({
      answers: { search: () => Buffer.concat([Buffer.from("308400ffffff", "hex"), Buffer.alloc(70_000)]) },
    });
    const searching = at(open, (connection) => connection.search(everybody, 2));
    await expect(searching).rejects.toMatchObject({ kind: "unreachable", detail: "too many bytes" });
  });

  test("and says nothing is left when the time is over", async () => {
    plain.play({ answers: { search: () => Buffer.alloc(0) } });
    const searching = at(open, (connection) => connection.search(everybody, 2), { ...limits, timeoutMs: 60 });
    await expect(searching).rejects.toMatchObject({ kind: "unreachable", detail: "no answer" });
  });

  test("and does not even speak TLS is left when the time is over", async () => {
    const silent = createServer(() => undefined).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const url = `ldaps://127.0.0.1:${(silent.address() as AddressInfo).port}`; // it listens on TCP
    await expect(at({ url }, bindAsAda, { ...limits, timeoutMs: 60 })).rejects.toMatchObject({
      kind: "unreachable",
    });
    silent.close();
  });
});
