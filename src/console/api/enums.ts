/** Returns the value of an enum that a field or a filter holds as text; the first value, UNSPECIFIED, for any other text. */
export function toEnum<Values extends Readonly<Record<string, number>>>(
  values: Values,
  text: string | undefined,
): Values[keyof Values] {
  const all = Object.values(values) as Values[keyof Values][]; // the type of Object.values knows no keys
  const found = all.find((value) => String(value) === text) ?? all[0];
  if (found === undefined) throw new Error("an enum without values");
  return found;
}
