import type { Random } from "../../../hostile/support/random.ts";

const telling = [
  "&",
  "=",
  "%",
  "+",
  "<",
  ">",
  "/",
  '"',
  "'",
  "#",
  ":",
  "\0",
  "\u00e9",
  "%00",
  "%0a",
  "&amp;",
  "<!--",
  "]]>",
  "ID",
];

/** Changes a text in one to three places: characters of it, parts of it, or what means something to a reader. */
export function mutate(text: string, random: Random): string {
  let changed = text;
  for (let times = 1 + random.below(3); times > 0; times--) changed = changeOnce(changed, random);
  return changed;
}

function changeOnce(text: string, random: Random): string {
  const at = random.below(text.length);
  const length = random.pick([1, 1, 1, 2, 8, 40]);
  const [before, part, after] = [text.slice(0, at), text.slice(at, at + length), text.slice(at + length)];
  switch (random.below(6)) {
    case 0:
      return before + after;
    case 1:
      return before + part + part + after;
    case 2:
      return before + random.pick(telling) + part + after;
    case 3:
      return before + random.pick(telling) + after;
    case 4:
      return before + random.text(part.length) + after;
    default:
      return text.slice(0, at) + text.slice(random.below(text.length));
  }
}
