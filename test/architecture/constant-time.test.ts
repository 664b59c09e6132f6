import { expect, test } from "@jest/globals";
import { equalBytes } from "../../src/kernel/base/secret.ts";
import { readFiles } from "./source-files.ts";

/** Files that compare bytes which everybody may know, each with a reason. */
const publicBytes = new Map([
  ["src/kernel/webauthn/assertion-verification.ts", "the id of a user"],
  ["src/kernel/webauthn/attestation-certificate.ts", "the model of an authenticator"],
  ["src/kernel/webauthn/ceremony.ts", "the hash of a domain"],
  ["src/kernel/webauthn/client-data.ts", "credential ids are public"],
  ["src/kernel/webauthn/credential.ts", "credential ids are public"],
  ["src/kernel/storage/sqlite/unallocated-region.ts", "whether a part of a page holds zeros only"],
  ["src/kernel/http/connections/detect-http2.ts", "the first bytes of a connection"],
]);

function sources(): readonly (readonly [file: string, text: string])[] {
  return readFiles("src", [".ts"]).map(({ path, text }) => [path, text]);
}

// No test can measure in how many steps bytes were compared. So it is the source that is looked at.
test("equalBytes compares by timingSafeEqual and nothing else", () => {
  const [, body = ""] = /\{([^}]*)\}/.exec(equalBytes.toString()) ?? [];
  expect(body.trim()).toBe("return left.length === right.length && timingSafeEqual(left, right);");
});

test("bytes are compared by equalBytes, but for those that are no secret", () => {
  const comparing = sources().filter(([, text]) => /\.equals\(|Buffer\.compare\(|\bcompare\(/.test(text));
  expect(comparing.map(([file]) => file).toSorted()).toEqual([...publicBytes.keys()].toSorted());
});

test("hashes of tokens and codes are compared with no operator", () => {
  const made = /(?:hashToken|\.mac|isMacOf|createHmac)\(/;
  const lines = sources().flatMap(([file, text]) =>
    text.split("\n").map((line) => `${file}: ${line.trim()}`),
  );
  const comparing = lines.filter(
    (line) => made.test(line) && /[!=]==/.test(line.replaceAll("=== undefined", "")),
  );
  expect(lines.filter((line) => made.test(line)).length).toBeGreaterThan(8);
  expect(comparing.filter((line) => !/match === null|key !== undefined/.test(line))).toEqual([]);
});
