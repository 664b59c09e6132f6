import { md5CryptFamily } from "./md5-crypt.ts";
import { pbkdf2Families } from "./pbkdf2.ts";
import { drupalFamily, phpassFamily } from "./phpass.ts";
import { saltedDigestFamily } from "./salted-digest.ts";
import { scryptFamily } from "./scrypt.ts";
import { shaCryptFamilies } from "./sha-crypt.ts";
import type { ForeignHash, HashFamily, Recipe } from "./hash-family.ts";

/** Every way of hashing that is taken from elsewhere, besides argon2 and bcrypt. */
export const hashFamilies: readonly HashFamily[] = [
  ...pbkdf2Families,
  scryptFamily,
  ...shaCryptFamilies,
  md5CryptFamily,
  phpassFamily,
  drupalFamily,
  saltedDigestFamily,
];

/** Returns the family of a recipe. */
export function familyOf({ id }: Recipe): HashFamily {
  const family = hashFamilies.find(({ ids }) => ids.includes(id));
  if (family === undefined) throw new Error("a recipe is of a family");
  return family;
}

/** Reads a hash in the form of any of the systems; undefined for one that none of them writes. Does not look at the bounds. */
export function readForeignHash(text: string): ForeignHash | undefined {
  for (const family of hashFamilies) {
    const hash = family.read(text);
    if (hash !== undefined) return hash;
  }
  return undefined;
}

/** Writes how a hash was made as we store it, up to its salt: `$pbkdf2-sha256$i=600000,l=32$`. */
export function toHeader({ id, parameters }: Pick<Recipe, "id" | "parameters">): string {
  const pairs = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  return `$${id}$${pairs.join(",")}$`;
}

/** Writes how a hash was made: its header and its salt. */
export function toRecipeText(recipe: Recipe): string {
  return toHeader(recipe) + toBase64(recipe.salt);
}

/** Writes a hash as we store it, whatever system it comes from: its recipe, `$`, and the digest. */
export function toForeignText({ recipe, digest }: ForeignHash): string {
  return `${toRecipeText(recipe)}$${toBase64(digest)}`;
}

const storedPattern =
  /^\$(?<id>[a-z0-9-]+)\$(?<parameters>[a-z0-9=,]*)\$(?<salt>[A-Za-z0-9+/]*)(?:\$(?<digest>[A-Za-z0-9+/]+))?$/;

/** Reads what `toRecipeText` or `toForeignText` wrote. Undefined if it is of neither form, or out of the bounds of its family. */
export function parseForeignText(
  text: string,
): { readonly recipe: Recipe; readonly digest: Buffer | undefined } | undefined {
  const { id = "", parameters: pairs = "", salt = "", digest } = storedPattern.exec(text)?.groups ?? {};
  const family = hashFamilies.find(({ ids }) => ids.includes(id));
  if (family === undefined) return undefined;
  const given = new Map(pairs.split(",").map((pair) => [pair.split("=")[0] ?? "", pair.split("=")[1] ?? ""]));
  const parameters: Record<string, number> = {};
  for (const [name, [least, most]] of Object.entries(family.bounds)) {
    const value = Number(given.get(name));
    if (!Number.isInteger(value) || value < least || value > most) return undefined;
    parameters[name] = value;
  }
  const recipe = { id, parameters, salt: Buffer.from(salt, "base64") };
  const bytes = digest === undefined ? undefined : Buffer.from(digest, "base64");
  return toRecipeText(recipe) === text.slice(0, toRecipeText(recipe).length)
    ? { recipe, digest: bytes }
    : undefined;
}

function toBase64(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}
