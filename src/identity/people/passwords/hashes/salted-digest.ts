import { createHash } from "node:crypto";
import type { ForeignHash, HashFamily } from "./hash-family.ts";

const digestBytes = { md5: 16, sha1: 20, sha256: 32, sha512: 64 } as const;
type Algorithm = keyof typeof digestBytes;
const algorithms = Object.keys(digestBytes) as Algorithm[];

/** One round of a hash function over password and salt, in one order or the other. */
export const saltedDigestFamily: HashFamily = {
  name: "digest",
  ids: algorithms.flatMap((algorithm) => [`${algorithm}-of-password-salt`, `${algorithm}-of-salt-password`]),
  bounds: {},
  small: {},
  work: () => 1,
  memoryKib: () => 1,
  isFast: () => true,
  digest({ id, salt }, password) {
    const sum = createHash(id.slice(0, id.indexOf("-")));
    const typed = Buffer.from(password, "utf8");
    const parts = id.endsWith("-password-salt") ? [typed, salt] : [salt, typed];
    for (const part of parts) sum.update(part);
    return sum.digest();
  },
  read: (text) => readLdap(text) ?? readDjango(text) ?? readOrdered(text),
};

const ldapSchemes: Readonly<Record<string, Algorithm>> = {
  MD5: "md5",
  SMD5: "md5",
  SHA: "sha1",
  SSHA: "sha1",
  SSHA256: "sha256",
  SSHA512: "sha512",
};

/** RFC 2307 §5.3 and what slapd adds to it: base64 of the digest, and of a salt of any length behind it. */
function readLdap(text: string): ForeignHash | undefined {
  const found = /^\{(?<scheme>[A-Z0-9]+)\}(?<bytes>[A-Za-z0-9+/]+={0,2})$/i.exec(text)?.groups;
  const algorithm = ldapSchemes[found?.["scheme"]?.toUpperCase() ?? ""];
  if (algorithm === undefined) return undefined;
  const bytes = Buffer.from(found?.["bytes"] ?? "", "base64");
  const length = digestBytes[algorithm];
  return toHash(`${algorithm}-of-password-salt`, bytes.subarray(length), bytes.subarray(0, length));
}

/** Django up to 5.0: md5$salt$digest and sha1$salt$digest, the salt first. */
function readDjango(text: string): ForeignHash | undefined {
  const found = /^(?<algorithm>md5|sha1)\$(?<salt>[^$]*)\$(?<digest>[0-9a-f]+)$/.exec(text)?.groups;
  if (found === undefined) return undefined;
  const { algorithm, salt = "", digest = "" } = found;
  return toHash(`${algorithm}-of-salt-password`, Buffer.from(salt, "utf8"), Buffer.from(digest, "hex"));
}

/** $sha256$salt+password$salt$digest: our own form for what a system has in two columns, with the order that it has. */
function readOrdered(text: string): ForeignHash | undefined {
  const found =
    /^\$(?<algorithm>md5|sha1|sha256|sha512)\$(?<order>password|salt\+password|password\+salt)\$(?<salt>.{0,100})\$(?<digest>[0-9A-Fa-f]+)$/.exec(
      text,
    )?.groups;
  if (found === undefined) return undefined;
  const { algorithm, order, salt = "", digest = "" } = found;
  if (order === "password" && salt !== "") return undefined;
  const id = `${algorithm}-of-${order === "salt+password" ? "salt-password" : "password-salt"}`;
  return toHash(id, Buffer.from(salt, "utf8"), Buffer.from(digest, "hex"));
}

function toHash(id: string, salt: Buffer, digest: Buffer): ForeignHash | undefined {
  const algorithm = algorithms.find((name) => id.startsWith(`${name}-`));
  if (algorithm === undefined || digest.length !== digestBytes[algorithm]) return undefined;
  return { recipe: { id, parameters: {}, salt }, digest };
}
