import { foldName } from "../../../kernel/base/names/folding.ts";

/**
 * Says whether a password is one that guessers try first: at most five unpredictable pieces beside the names. A piece is a word of the
 * list below, a run of the alphabet, of digits or of a row of the keyboard, a year, a repetition of what stands before it, or any other
 * single character. Case and width do not count, nor do the usual substitutions such as 0 for o (NIST SP 800-63B §3.1.1.2 asks for
 * such a list). A name is found in the password as a whole and, if it has 4 letters or more, by its parts.
 */
export function isCommonPassword(password: string, names: readonly string[]): boolean {
  const text = Array.from(foldName(password));
  const pieces = [...piecesOfNames(names), ...words];
  /** The fewest pieces that the first so many characters are made of. */
  const fewest: number[] = [0];
  for (let start = 0; start < text.length; start++) {
    const before = fewest[start] ?? Number.POSITIVE_INFINITY;
    const reach = (end: number, cost: number): void => {
      fewest[end] = Math.min(fewest[end] ?? Number.POSITIVE_INFINITY, before + cost);
    };
    reach(start + 1, 1);
    for (const { letters, cost } of pieces)
      if (beginsWith(text, start, letters)) reach(start + letters.length, cost);
    const longest = Math.max(
      longestRun(text, start),
      longestRepetition(text, start),
      longestYear(text, start),
    );
    for (let length = leastRun; length <= longest; length++) reach(start + length, 1);
  }
  return (fewest[text.length] ?? 0) <= mostPieces;
}

/** Up to so many pieces can be guessed: a dictionary of so few words and some digits is searched in no time. */
const mostPieces = 5;
/** Shorter runs, repetitions and parts of names are no pieces: they stand in good passwords by chance. */
const leastRun = 3;
const leastName = 3;
const leastPart = 4;

interface Piece {
  readonly letters: readonly string[];
  readonly cost: number;
}

/** Makes pieces of names, which cost a guesser nothing: the whole name, without what separates its parts, and the parts. */
function piecesOfNames(names: readonly string[]): readonly Piece[] {
  const texts = names.flatMap((name) => {
    const folded = foldName(name);
    const parts = folded.split(/[^\p{L}\p{N}]+/u);
    return [folded, parts.join(""), ...parts.filter((part) => Array.from(part).length >= leastPart)];
  });
  return [...new Set(texts)]
    .map((text) => ({ letters: Array.from(text), cost: 0 }))
    .filter(({ letters }) => letters.length >= leastName);
}

/** Words that people choose for passwords in the languages of the pages. */
const words: readonly Piece[] = [
  "password passwort passphrase passwd kennwort losung parole pass code pin",
  "welcome willkommen hello hallo login signin logon letmein anmelden access zugang open",
  "admin administrator root user users guest gast test tester testing demo sample example default",
  "secret geheim private privat changeme change master system server service security sicherheit",
  "iloveyou love liebe baby angel princess prinzessin dragon drache monkey shadow sunshine schatz",
  "football fussball baseball soccer hockey superman batman pokemon computer internet",
  "spring summer autumn winter sommer herbst fruehling",
  "january february march april may june july august september october november december",
  "januar februar maerz mai juni juli oktober dezember",
  "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag",
].flatMap((line) => line.split(" ").map((word) => ({ letters: Array.from(word), cost: 1 })));

/** Rows and columns of keyboards, ways to and fro between them, and what runs otherwise. They are found backwards, too. */
const rows: readonly string[] = [
  "abcdefghijklmnopqrstuvwxyz 01234567890",
  "qwertyuiop asdfghjkl zxcvbnm qwertzuiop yxcvbnm azertyuiop qsdfghjklm wxcvbn !@#$%^&*()",
  "1qaz 2wsx 3edc 4rfv 5tgb 6yhn 7ujm 8ik, 9ol. 147 258 369 159 357",
  "1q2w3e4r5t6y7u8i9o0p q1w2e3r4t5y6u7i8o9p0 1029384756 11223344556677889900 13579 24680",
]
  .flatMap((line) => line.split(" "))
  .flatMap((row) => [row, Array.from(row).toReversed().join("")]);

/** What people write in place of a letter. */
const substitutions: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "il",
  "!": "il",
  "|": "il",
  "2": "z",
  "3": "e",
  "€": "e",
  "4": "a",
  "@": "a",
  "5": "s",
  $: "s",
  "6": "g",
  "7": "t",
  "+": "t",
  "8": "b",
  "9": "g",
};

function beginsWith(text: readonly string[], start: number, letters: readonly string[]): boolean {
  return letters.every((letter, index) => {
    const character = text[start + index];
    if (character === undefined) return false;
    return character === letter || (substitutions[character]?.includes(letter) ?? false);
  });
}

/** Returns how many characters from there on stand side by side in a row. */
function longestRun(text: readonly string[], start: number): number {
  let length = 2;
  while (start + length < text.length && isRun(text.slice(start, start + length + 1).join(""))) length++;
  return length;
}

function isRun(text: string): boolean {
  return rows.some((row) => row.includes(text));
}

/** Returns how many characters from there on repeat what stands before them, at whatever distance. */
function longestRepetition(text: readonly string[], start: number): number {
  let longest = 0;
  for (let distance = 1; distance <= start; distance++) {
    let length = 0;
    while (start + length < text.length && text[start + length] === text[start + length - distance]) length++;
    if (length >= distance) longest = Math.max(longest, length);
  }
  return longest;
}

function longestYear(text: readonly string[], start: number): number {
  return /^(?:19|20)\d\d$/.test(text.slice(start, start + 4).join("")) ? 4 : 0;
}
