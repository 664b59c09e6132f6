import { pbkdf2Sync } from "node:crypto";
import { type ForeignHash, type HashFamily, numberOf } from "./hash-family.ts";

const digestBytes = { sha1: 20, sha256: 32, sha384: 48, sha512: 64 } as const;
type Algorithm = keyof typeof digestBytes;

/** PBKDF2 (RFC 8018 §5.2), a family for each hash function. `i`: iterations; `l`: bytes of the result. */
export const pbkdf2Families: readonly HashFamily[] = (Object.keys(digestBytes) as Algorithm[]).map(
  (algorithm) => ({
    name: idOf(algorithm),
    ids: [idOf(algorithm)],
    bounds: { i: [1, 10_000_000], l: [16, 128] },
    small: { i: 5000, l: digestBytes[algorithm] },
    work: (recipe) => numberOf(recipe, "i") * Math.ceil(numberOf(recipe, "l") / digestBytes[algorithm]),
    memoryKib: () => 1,
    isFast: (recipe) => numberOf(recipe, "i") < 10_000,
    digest: (recipe, password) =>
      pbkdf2Sync(password, recipe.salt, numberOf(recipe, "i"), numberOf(recipe, "l"), algorithm),
    read(text) {
      const hash = readText(text) ?? readAspNet(text);
      return hash?.recipe.id === idOf(algorithm) ? hash : undefined;
    },
  }),
);

/** Returns the hash of these parts; undefined for an algorithm that is unknown. */
export function toPbkdf2(
  algorithm: string,
  iterations: number,
  { salt, digest }: { readonly salt: Buffer; readonly digest: Buffer },
): ForeignHash | undefined {
  if (!Object.hasOwn(digestBytes, algorithm)) return undefined;
  return {
    recipe: { id: `pbkdf2-${algorithm}`, parameters: { i: iterations, l: digest.length }, salt },
    digest,
  };
}

function idOf(algorithm: Algorithm): string {
  return `pbkdf2-${algorithm}`;
}

// PHC: $pbkdf2-sha256$i=600000,l=32$salt$digest. passlib: $pbkdf2-sha256$29000$salt$digest, and $pbkdf2$ for SHA-1.
const phcPattern =
  /^\$pbkdf2(?:-(?<algorithm>sha1|sha256|sha384|sha512))?\$(?:i=)?(?<i>\d{1,10})(?:,l=\d{1,3})?\$(?<salt>[A-Za-z0-9+/.]*)={0,2}\$(?<digest>[A-Za-z0-9+/.]+)={0,2}$/;
// Django: pbkdf2_sha256$1000000$salt$digest, the salt as a text.
const djangoPattern =
  /^pbkdf2_(?<algorithm>sha1|sha256)\$(?<i>\d{1,10})\$(?<salt>[^$]*)\$(?<digest>[A-Za-z0-9+/]+={0,2})$/;
// Werkzeug: pbkdf2:sha256:600000$salt$digest, the salt as a text, the digest hexadecimal.
const werkzeugPattern =
  /^pbkdf2:(?<algorithm>sha1|sha256|sha384|sha512):(?<i>\d{1,10})\$(?<salt>[^$]*)\$(?<digest>(?:[0-9a-f]{2})+)$/;

function readText(text: string): ForeignHash | undefined {
  const phc = phcPattern.exec(text)?.groups;
  const found = phc ?? djangoPattern.exec(text)?.groups ?? werkzeugPattern.exec(text)?.groups;
  if (found === undefined) return undefined;
  const { algorithm = "sha1", i, salt = "", digest = "" } = found;
  const fromBase64 = (value: string) => Buffer.from(value.replaceAll(".", "+"), "base64");
  return toPbkdf2(algorithm, Number(i), {
    salt: phc === undefined ? Buffer.from(salt, "utf8") : fromBase64(salt),
    digest: text.startsWith("pbkdf2:") ? Buffer.from(digest, "hex") : fromBase64(digest),
  });
}

/** ASP.NET Identity, as the comment of its PasswordHasher has it: base64 of a byte for the version, and what belongs to it. */
function readAspNet(text: string): ForeignHash | undefined {
  if (!/^A[A-Za-z0-9+/]{50,}={0,2}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, "base64");
  // Version 2: 1,000 iterations, a salt of 16 bytes, a result of 32.
  if (bytes[0] === 0 && bytes.length === 49)
    return toPbkdf2("sha1", 1000, { salt: bytes.subarray(1, 17), digest: bytes.subarray(17) });
  if (bytes[0] !== 1 || bytes.length < 29) return undefined;
  // Version 3: three numbers of four bytes, the highest first.
  const algorithm = ["sha1", "sha256", "sha512"][bytes.readUInt32BE(1)] ?? "";
  const saltEnd = 13 + bytes.readUInt32BE(9);
  if (saltEnd >= bytes.length) return undefined;
  return toPbkdf2(algorithm, bytes.readUInt32BE(5), {
    salt: bytes.subarray(13, saltEnd),
    digest: bytes.subarray(saltEnd),
  });
}
