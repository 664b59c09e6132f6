import { expect, test } from "@jest/globals";
import { systemRandom } from "../../../../../src/kernel/base/random.ts";
import {
  isFastHash,
  isWeakHash,
  parseEncodedHash,
  toSampleHash,
  hashHeaderOf,
} from "../../../../../src/identity/people/passwords/encoded-hash.ts";
import { importedCostOf } from "../../../../../src/identity/people/passwords/hash-cost.ts";
import { createPasswordHasher } from "../../../../../src/identity/people/passwords/hasher.ts";
import { hashFamilies } from "../../../../../src/identity/people/passwords/hashes/families.ts";
import { toStoredSpelling } from "../../../../../src/identity/people/passwords/hashes/spelling.ts";
import { testPasswordCost } from "../../../../support/password-cost.ts";
import { knownAnswers } from "./known-answers.ts";

const hasher = createPasswordHasher({
  parallelism: 2,
  maxWaiting: 64,
  random: systemRandom,
  cost: testPasswordCost,
});

/** Returns what is stored for a hash of another system. */
async function store(text: string): Promise<string> {
  const stored = toStoredSpelling(text) ?? "";
  const hash = parseEncodedHash(stored);
  return hash !== undefined && isFastHash(hash) ? await hasher.wrap(hash) : stored;
}

test.each(knownAnswers)(
  "the password of a hash by $system is right, and no other one: $form",
  async ({ hash, password, isWrapped }) => {
    const stored = await store(hash);
    expect(parseEncodedHash(stored)?.kind === "wrapped").toBe(isWrapped);
    const [right, wrong] = await Promise.all(
      [password, password.replace(/.(?=\s*$)/, "X")].map((typed) => hasher.verify(stored, typed)),
    );
    expect(right).toEqual({ isRight: true, isWeak: isWeakText(stored) });
    expect(wrong).toEqual({ isRight: false, isWeak: false });
  },
);

const isWeakText = (stored: string) => {
  const hash = parseEncodedHash(stored);
  return hash === undefined || isWeakHash(hash, testPasswordCost);
};

test.each(knownAnswers.filter(({ isWrapped }) => isWrapped))(
  "what is stored for a fast hash by $system does not hold it: $form",
  async ({ hash }) => {
    const plain = toStoredSpelling(hash) ?? "";
    const digest = plain.slice(plain.lastIndexOf("$") + 1);
    expect(digest.length).toBeGreaterThan(20);
    expect(await store(hash)).not.toContain(digest);
  },
);

test("each is known by its kind and its cost, and a hash of the same cost can be made of its header", async () => {
  const kinds = new Set<string>();
  for (const { hash } of knownAnswers) {
    const stored = await store(hash);
    const parsed = parseEncodedHash(stored);
    const header = parsed === undefined ? "" : hashHeaderOf(parsed);
    const sample = parseEncodedHash(toSampleHash(header));
    expect(sample && hashHeaderOf(sample)).toBe(header);
    kinds.add(importedCostOf(stored)?.kind ?? "ours");
  }
  expect([...kinds].toSorted()).toEqual([
    "bcrypt",
    "drupal",
    "ours",
    "pbkdf2-sha1",
    "pbkdf2-sha256",
    "pbkdf2-sha512",
    "scrypt",
    "sha256-crypt",
    "sha512-crypt",
    "wrapped digest",
    "wrapped drupal",
    "wrapped md5-crypt",
    "wrapped pbkdf2-sha1",
    "wrapped pbkdf2-sha512",
    "wrapped phpass",
    "wrapped scrypt",
    "wrapped sha256-crypt",
  ]);
});

const salt = "abcdefgh";
test.each([
  ["PBKDF2 without iterations", `$pbkdf2-sha256$i=0$YWJjZGVmZ2g$${"A".repeat(43)}`],
  ["more than 10,000,000 iterations", `pbkdf2_sha256$10000001$${salt}$${"A".repeat(43)}=`],
  ["a result of 15 bytes", `$pbkdf2-sha256$i=20000$YWJjZGVmZ2g$${"A".repeat(20)}`],
  ["a hash function that is unknown", `$pbkdf2-md5$i=20000$YWJjZGVmZ2g$${"A".repeat(43)}`],
  ["scrypt with an N that is no power of two", `scrypt:10000:8:1$${salt}$${"ab".repeat(32)}`],
  ["scrypt of more than 256 MiB", `scrypt:1048576:8:1$${salt}$${"ab".repeat(32)}`],
  ["scrypt with too many lanes", `scrypt:16384:8:17$${salt}$${"ab".repeat(32)}`],
  ["SHA-crypt of less than 1,000 rounds", `$5$rounds=999$${salt}$${"a".repeat(43)}`],
  ["SHA-crypt of more than 5,000,000 rounds", `$6$rounds=5000001$${salt}$${"a".repeat(86)}`],
  ["phpass of 2^6 rounds", `$P$4${salt}${"a".repeat(22)}`],
  ["phpass of 2^21 rounds", `$P$J${salt}${"a".repeat(22)}`],
  ["DES-crypt", "{CRYPT}rl0uE2mNGgUmo"],
  ["an LDAP scheme that is unknown", "{SASL}ada@example.test"],
  ["{SSHA} that is cut off", "{SSHA}YWJjZGVmZ2g="],
  ["{SHA256} without its length", "{SSHA256}L55TUjtiq8FBorTWAZ0jy6g129A="],
  ["a salt without a place", `$md5$password$${salt}$${"ab".repeat(16)}`],
  ["an order that is unknown", `$md5$salt$${salt}$${"ab".repeat(16)}`],
  ["ASP.NET of version 4", `BAAAAAEAACcQAAAAEAAB${"A".repeat(60)}`],
  ["ASP.NET whose salt does not end", `AQAAAAEAACcQAAAAfwAB${"A".repeat(60)}`],
  [
    "Firebase without the key of the project",
    `$fbscrypt$v=1,n=14,r=8,p=1$42xEC+ixf3L2lw==$${"A".repeat(86)}==`,
  ],
  [
    "Keycloak with an algorithm that is unknown",
    keycloak({ hashIterations: 27_500, algorithm: "pbkdf2-sha3" }),
  ],
  ["Keycloak with iterations that are no number", keycloak({ hashIterations: "x", algorithm: "pbkdf2" })],
  ["Keycloak without data", '{"type":"password"}'],
  ["JSON that is cut off", '{"secretData":"{'],
  [
    "a hash within a hash within a hash",
    `$argon2id$v=19$m=8,t=1,p=1$${"A".repeat(22)}$${"A".repeat(43)}$of$a$of$b`,
  ],
])("refuses %s", (_name, text) => {
  expect(parseEncodedHash(toStoredSpelling(text) ?? text)).toBeUndefined();
});

function keycloak(data: object): string {
  const secretData = JSON.stringify({ value: "A".repeat(43), salt: "YWJjZGVmZ2g" });
  return JSON.stringify({ secretData, credentialData: JSON.stringify(data) });
}

test.each([
  [
    "argon2 without a version is of version 16",
    "$argon2i$m=64,t=1,p=1$c$t",
    "$argon2i$v=16$m=64,t=1,p=1$c$t",
  ],
  ["a salt in front", "$sha256$salt+password$a:b$" + "ab".repeat(32), "$sha256-of-salt-password$$YTpi$"],
  ["a salt behind", "$sha1$password+salt$a$b$" + "AB".repeat(20), "$sha1-of-password-salt$$YSRi$"],
  ["no salt", `$md5$password$$${"ab".repeat(16)}`, "$md5-of-password-salt$$$"],
])("reads %s", (_name, text, stored) => {
  expect(toStoredSpelling(text)?.startsWith(stored)).toBe(true);
});

test.each(["phpass", "drupal", "md5-crypt", "sha256-crypt", "sha512-crypt"])(
  "a password of more than 512 bytes is never right where each round would read it: %s",
  (id) => {
    const family = hashFamilies.find(({ ids }) => ids.includes(id));
    const recipe = { id, parameters: family?.small ?? {}, salt: Buffer.from("abcdefgh") };
    const digests = [512, 513].map((length) => family?.digest(recipe, "a".repeat(length)).length);
    expect(digests).toEqual([expect.any(Number), 0]);
  },
);
