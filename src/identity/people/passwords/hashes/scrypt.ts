import { createCipheriv, scryptSync } from "node:crypto";
import { type ForeignHash, type HashFamily, numberOf, type Recipe } from "./hash-family.ts";

const plain = "scrypt";
const firebase = "firebase-scrypt";

/** scrypt (RFC 7914). `ln`: the binary logarithm of N; `r`, `p`; `l`: bytes of the result. */
export const scryptFamily: HashFamily = {
  name: "scrypt",
  ids: [plain, firebase],
  bounds: { ln: [1, 20], r: [1, 32], p: [1, 16], l: [16, 128] },
  small: { ln: 10, r: 8, p: 1, l: 32 },
  work: (recipe) => 2 ** numberOf(recipe, "ln") * numberOf(recipe, "r") * numberOf(recipe, "p"),
  memoryKib: (recipe) => Math.ceil((2 ** numberOf(recipe, "ln") * numberOf(recipe, "r")) / 8),
  isFast: (recipe) => numberOf(recipe, "ln") < 13,
  digest: (recipe, password) =>
    recipe.id === firebase ? keystreamOf(compute(recipe, password)) : compute(recipe, password),
  read: (text) => readText(text) ?? readFirebase(text),
};

function compute(recipe: Recipe, password: string): Buffer {
  const [N, r] = [2 ** numberOf(recipe, "ln"), numberOf(recipe, "r")];
  const p = numberOf(recipe, "p");
  const maxmem = 256 * r * (N + p + 2);
  return scryptSync(password, recipe.salt, numberOf(recipe, "l"), { N, r, p, maxmem });
}

/** Firebase encrypts a key of the project with the result, by AES-256 in counter mode: it adds this to the key, bit by bit. */
function keystreamOf(key: Buffer): Buffer {
  const cipher = createCipheriv("aes-256-ctr", key.subarray(0, 32), Buffer.alloc(16));
  return cipher.update(Buffer.alloc(64));
}

// PHC and passlib: $scrypt$ln=16,r=8,p=1$salt$digest.
const phcPattern =
  /^\$scrypt\$ln=(?<ln>\d{1,2}),r=(?<r>\d{1,3}),p=(?<p>\d{1,3})(?:,l=\d{1,3})?\$(?<salt>[A-Za-z0-9+/]*)={0,2}\$(?<digest>[A-Za-z0-9+/]+)={0,2}$/;
// Django: scrypt$16384$salt$8$5$digest, the salt as a text.
const djangoPattern =
  /^scrypt\$(?<n>\d{1,8})\$(?<salt>[^$]*)\$(?<r>\d{1,3})\$(?<p>\d{1,3})\$(?<digest>[A-Za-z0-9+/]+={0,2})$/;
// Werkzeug: scrypt:32768:8:1$salt$digest, the salt as a text, the digest hexadecimal.
const werkzeugPattern =
  /^scrypt:(?<n>\d{1,8}):(?<r>\d{1,3}):(?<p>\d{1,3})\$(?<salt>[^$]*)\$(?<digest>(?:[0-9a-f]{2})+)$/;

function readText(text: string): ForeignHash | undefined {
  const phc = phcPattern.exec(text)?.groups;
  const found = phc ?? djangoPattern.exec(text)?.groups ?? werkzeugPattern.exec(text)?.groups;
  if (found === undefined) return undefined;
  const ln = phc === undefined ? Math.log2(Number(found["n"])) : Number(found["ln"]);
  const digest = Buffer.from(found["digest"] ?? "", text.startsWith("scrypt:") ? "hex" : "base64");
  const salt = Buffer.from(found["salt"] ?? "", phc === undefined ? "utf8" : "base64");
  const parameters = { ln, r: Number(found["r"]), p: Number(found["p"]), l: digest.length };
  return { recipe: { id: plain, parameters, salt }, digest };
}

// $fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=…$salt$digest: the memory cost, the rounds, the salt separator and the signer key of the project.
const firebasePattern =
  /^\$fbscrypt\$v=1,n=(?<ln>\d{1,2}),r=(?<r>\d{1,3}),p=(?<p>\d{1,3})(?:,ss=(?<ss>[A-Za-z0-9+/_-]*={0,2}))?,sk=(?<sk>[A-Za-z0-9+/_-]+={0,2})\$(?<salt>[A-Za-z0-9+/_-]*={0,2})\$(?<digest>[A-Za-z0-9+/_-]+={0,2})$/;

/** The key of the project is taken off the digest, so that it is not stored. */
function readFirebase(text: string): ForeignHash | undefined {
  const found = firebasePattern.exec(text)?.groups;
  if (found === undefined) return undefined;
  const { ln, r, p } = found;
  const bytes = (name: string) => Buffer.from(found[name] ?? "", "base64");
  const [key, encrypted] = [bytes("sk"), bytes("digest")];
  if (key.length !== 64 || encrypted.length !== 64) return undefined;
  const salt = Buffer.concat([bytes("salt"), bytes("ss")]);
  const parameters = { ln: Number(ln), r: Number(r), p: Number(p), l: 64 };
  const digest = Buffer.from(encrypted.map((byte, at) => byte ^ (key[at] ?? 0)));
  return { recipe: { id: firebase, parameters, salt }, digest };
}
