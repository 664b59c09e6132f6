import { type Definition, type OptionName, optionDefinitions } from "./options.ts";

type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** The values of all options that are numbers, in the units of the options: `max-streams` is `maxStreams`. */
export type LimitOptions = Readonly<
  Record<CamelCase<Extract<Definition, { readonly kind: "integer" }>["name"]>, number>
>;

/** Converts the options that are numbers. `valueOf` returns the checked text of an option. */
export function toLimits(valueOf: (name: OptionName) => string): LimitOptions {
  const entries = optionDefinitions
    .filter(({ kind }) => kind === "integer")
    .map(({ name }) => [
      name.replaceAll(/-([a-z])/g, (_all, letter: string) => letter.toUpperCase()),
      Number(valueOf(name)),
    ]);
  return Object.fromEntries(entries) as LimitOptions; // the same names, by the type above
}
