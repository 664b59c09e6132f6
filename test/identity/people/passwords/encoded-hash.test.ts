import { expect, test } from "@jest/globals";
import {
  hashHeaderOf,
  isWeakHash,
  parseEncodedHash,
  toSampleHash,
} from "../../../../src/identity/people/passwords/encoded-hash.ts";
import { findExcess, importedCostOf } from "../../../../src/identity/people/passwords/hash-cost.ts";

const tag = "A".repeat(43);
const argon2 = (head: string, salt = "A".repeat(22)) => `$${head}$${salt}$${tag}`;
const bcrypt = (head: string) => `$${head}$${"a".repeat(53)}`;

test.each([
  ["a plain text", "correct horse battery staple"],
  ["nothing", ""],
  ["argon2d", argon2("argon2d$v=19$m=19456,t=2,p=1")],
  ["more than 256 MiB", argon2("argon2id$v=19$m=262145,t=2,p=1")],
  ["more than 16 passes", argon2("argon2id$v=19$m=19456,t=17,p=1")],
  ["more than 16 lanes", argon2("argon2id$v=19$m=19456,t=2,p=17")],
  ["a number that overflows", argon2("argon2id$v=19$m=99999999999999999999,t=2,p=1")],
  ["no memory", argon2("argon2id$v=19$m=0,t=2,p=1")],
  ["less than 8 KiB a lane", argon2("argon2id$v=19$m=15,t=2,p=2")],
  ["a short salt", argon2("argon2id$v=19$m=19456,t=2,p=1", "AAAAAAA")],
  ["an endless salt", argon2("argon2id$v=19$m=19456,t=2,p=1", "A".repeat(200))],
  ["text behind it", `${argon2("argon2id$v=19$m=19456,t=2,p=1")}$x`],
  ["a line break behind it", `${argon2("argon2id$v=19$m=19456,t=2,p=1")}\n`],
  ["bcrypt of cost 15", bcrypt("2b$15")],
  ["bcrypt of cost 3", bcrypt("2b$03")],
  ["bcrypt of a broken variant", bcrypt("2x$10")],
  ["a short bcrypt", "$2b$10$abc"],
  [
    "scrypt without the length of its result",
    "$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E",
  ],
])("refuses %s", (_name, text) => {
  expect(parseEncodedHash(text)).toBeUndefined();
});

test.each([
  ["ours", argon2("argon2id$v=19$m=19456,t=2,p=1"), false],
  ["a stronger one", argon2("argon2id$v=19$m=65536,t=3,p=4"), false],
  ["the strongest", argon2("argon2id$v=19$m=262144,t=16,p=16"), false],
  ["argon2i", argon2("argon2i$v=19$m=19456,t=2,p=1"), true],
  ["an older argon2id", argon2("argon2id$v=16$m=19456,t=2,p=1"), true],
  ["less memory", argon2("argon2id$v=19$m=19455,t=2,p=1"), true],
  ["one pass", argon2("argon2id$v=19$m=65536,t=1,p=1"), true],
  ["a salt of 8 bytes", argon2("argon2id$v=19$m=19456,t=2,p=1", "A".repeat(11)), true],
  ["$2a$", bcrypt("2a$10"), true],
  ["$2b$ of the highest cost", bcrypt("2b$14"), true],
  ["$2y$ of the lowest cost", bcrypt("2y$04"), true],
])("reads %s, and says whether it is weaker than ours", (_name, text, isWeak) => {
  const hash = parseEncodedHash(text);
  expect(hash !== undefined && isWeakHash(hash)).toBe(isWeak);
  expect(hash).toBeDefined();
});

test.each([
  ["ours", "$argon2id$v=19$m=19456,t=2,p=1$", undefined],
  ["less than ours", "$argon2i$v=16$m=8,t=1,p=1$", undefined],
  ["more memory", "$argon2id$v=19$m=65536,t=3,p=4$", { kind: "argon2", work: 196_608 }],
  ["bcrypt", "$2a$10$", { kind: "bcrypt", work: 1024 }],
  ["bcrypt of little cost", "$2y$04$", { kind: "bcrypt", work: 16 }],
  ["PBKDF2", "$pbkdf2-sha256$i=600000,l=32$", { kind: "pbkdf2-sha256", work: 600_000 }],
  ["PBKDF2 of a longer result", "$pbkdf2-sha1$i=20000,l=64$", { kind: "pbkdf2-sha1", work: 80_000 }],
  ["scrypt", "$scrypt$ln=14,r=8,p=5,l=64$", { kind: "scrypt", work: 655_360 }],
  ["SHA-crypt", "$sha512-crypt$rounds=5000$", { kind: "sha512-crypt", work: 5000 }],
  [
    "a wrapped hash",
    "$argon2id$v=19$m=19456,t=2,p=1$$of$phpass$ln=13$",
    { kind: "wrapped phpass", work: 8192 },
  ],
])("costs by its header what comparing takes: %s", (_name, header, cost) => {
  const encoded = toSampleHash(header);
  const hash = parseEncodedHash(encoded);
  expect(hash && hashHeaderOf(hash)).toBe(header);
  expect(importedCostOf(encoded)).toEqual(cost && { ...cost, header });
});

test.each([
  ["64 MiB", "$argon2id$v=19$m=65536,t=3,p=4$", 250, true],
  ["more than 64 MiB", "$argon2id$v=19$m=65537,t=1,p=1$", 1, false],
  ["more than 250 ms", "$2b$12$", 251, false],
  ["250 ms", "$2b$12$", 250, true],
  ["scrypt of 64 MiB", "$scrypt$ln=16,r=8,p=1,l=32$", 250, true],
  ["scrypt of more than 64 MiB", "$scrypt$ln=16,r=9,p=1,l=32$", 1, false],
])("%s may or may not be taken from elsewhere", (_name, header, tookMs, isTaken) => {
  const hash = parseEncodedHash(toSampleHash(header));
  expect(hash && findExcess(hash, tookMs) === undefined).toBe(isTaken);
});
