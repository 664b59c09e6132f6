/** A tree of texts, each by where it stands. `{name}` in a text stands for a value. */
export interface Words {
  readonly [key: string]: string | Words;
}

/** The tree of `W` in another language. */
export type WordsLike<W> = { readonly [K in keyof W]: W[K] extends string ? string : WordsLike<W[K]> };

/** The tree of `W` in another language, in which texts may still be missing. */
export type PartlyWords<W> = { readonly [K in keyof W]?: W[K] extends string ? string : PartlyWords<W[K]> };

/** The placeholders of a text. */
type PlaceholderOf<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholderOf<Rest>
  : never;

/** The tree of `W` as it is used: a text that holds values is a function of them. */
export type Phrases<W, Value, Shown> = {
  readonly [K in keyof W]: W[K] extends string
    ? [PlaceholderOf<W[K]>] extends [never]
      ? string
      : (values: Readonly<Record<PlaceholderOf<W[K]>, Value>>) => Shown
    : Phrases<W[K], Value, Shown>;
};

/** Puts values between the parts of a text, as a tag of a template does. */
export type Fill<Value, Shown> = (parts: readonly string[], values: readonly Value[]) => Shown;

/** Makes phrases of a tree of texts that has the keys of `W`. */
export function toPhrases<W, Value, Shown>(words: Words, fill: Fill<Value, Shown>): Phrases<W, Value, Shown> {
  const entries = Object.entries(words).map(([key, value]) => [
    key,
    typeof value === "string" ? toPhrase(value, fill) : toPhrases(value, fill),
  ]);
  return Object.fromEntries(entries) as Phrases<W, Value, Shown>; // the same keys, leaf by leaf
}

function toPhrase<Value, Shown>(text: string, fill: Fill<Value, Shown>) {
  const pieces = text.split(placeholder);
  if (pieces.length === 1) return text;
  const parts = pieces.filter((_, index) => index % 2 === 0);
  const names = pieces.filter((_, index) => index % 2 === 1);
  return (values: Readonly<Record<string, Value>>): Shown =>
    fill(
      parts,
      names.map((name) => values[name] as Value), // the type of the phrase asks for each
    );
}

const placeholder = /\{(\w+)\}/;

/** Every text of a tree, by its key: where it stands, as in `login.password.title`. */
export function listTexts(words: Words, path = ""): readonly (readonly [string, string])[] {
  return Object.entries(words).flatMap(([key, value]) =>
    typeof value === "string" ? [[`${path}${key}`, value] as const] : listTexts(value, `${path}${key}.`),
  );
}

/** Puts other texts into a tree, by their keys. What is not among them stays. */
export function replaceTexts<W>(words: W, texts: ReadonlyMap<string, string>): W {
  return replaceBelow(words as Words, texts, "") as W; // the same keys
}

function replaceBelow(words: Words, texts: ReadonlyMap<string, string>, path: string): Words {
  const entries = Object.entries(words).map(([key, value]) => [
    key,
    typeof value === "string"
      ? (texts.get(`${path}${key}`) ?? value)
      : replaceBelow(value, texts, `${path}${key}.`),
  ]);
  return Object.fromEntries(entries) as Words;
}

/** The placeholders of a text, in the order in which they stand. */
export function listPlaceholders(text: string): readonly string[] {
  return text.split(placeholder).filter((_, index) => index % 2 === 1);
}

/** Fills a text that is not HTML. */
export const fillPlain: Fill<string | number, string> = (parts, values) =>
  parts.map((part, index) => `${index === 0 ? "" : (values[index - 1] ?? "")}${part}`).join("");
