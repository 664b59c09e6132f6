import { hash } from "node:crypto";
import { fromCryptCharacter, toCryptBase64 } from "./crypt-base64.ts";
import { type HashFamily, loopedBytes, numberOf, type Recipe } from "./hash-family.ts";

/** The portable hashes of phpass 0.5, `$P$`, and `$H$` as phpBB writes them. `ln`: the binary logarithm of the rounds. */
export const phpassFamily = familyOf({
  name: "phpass",
  algorithm: "md5",
  pattern: /^\$[PH]\$(?<ln>[./0-9A-Za-z])(?<salt>.{8})(?<digest>[./0-9A-Za-z]{22})$/,
  digestLength: 22,
  isFast: () => true,
});

/** The hashes of Drupal 7 to 10, `$S$`: those of phpass with SHA-512, cut off. */
export const drupalFamily = familyOf({
  name: "drupal",
  algorithm: "sha512",
  pattern: /^\$S\$(?<ln>[./0-9A-Za-z])(?<salt>.{8})(?<digest>[./0-9A-Za-z]{43})$/,
  digestLength: 43,
  isFast: (recipe) => numberOf(recipe, "ln") < 13,
});

function familyOf(about: {
  readonly name: string;
  readonly algorithm: "md5" | "sha512";
  readonly pattern: RegExp;
  readonly digestLength: number;
  readonly isFast: (recipe: Recipe) => boolean;
}): HashFamily {
  const { name, algorithm, pattern, digestLength, isFast } = about;
  return {
    name,
    ids: [name],
    bounds: { ln: [7, 20] },
    small: { ln: 10 },
    work: (recipe) => 2 ** numberOf(recipe, "ln"),
    memoryKib: () => 1,
    isFast,
    digest(recipe, password) {
      const { bytes, isTooLong } = loopedBytes(password);
      let sum = hash(algorithm, Buffer.concat([recipe.salt, bytes]), "buffer");
      const hashed = Buffer.concat([sum, bytes]);
      const rounds = 2 ** numberOf(recipe, "ln");
      for (let round = 0; round < rounds; round += 1) {
        sum.copy(hashed);
        sum = hash(algorithm, hashed, "buffer");
      }
      return Buffer.from(isTooLong ? "" : toCryptBase64(sum).slice(0, digestLength), "latin1");
    },
    read(text) {
      const found = pattern.exec(text)?.groups;
      if (found === undefined) return undefined;
      const { ln = "", salt = "", digest = "" } = found;
      const recipe = {
        id: name,
        parameters: { ln: fromCryptCharacter(ln) },
        salt: Buffer.from(salt, "utf8"),
      };
      return { recipe, digest: Buffer.from(digest, "latin1") };
    },
  };
}
