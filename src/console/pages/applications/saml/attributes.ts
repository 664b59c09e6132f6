/** An attribute of assertions, as the field for them holds it: exactly one of `source` and `constant` is not empty. */
export interface AttributeValue {
  readonly name: string;
  /** Empty: the basic format. */
  readonly nameFormat: string;
  readonly source: string;
  readonly constant: string;
}

/** What an attribute can say of the user. */
export const attributeSources = [
  "Email",
  "FirstName",
  "SurName",
  "FullName",
  "UserName",
  "UserID",
  "Roles",
] as const;

/** Writes an attribute as a text for the values of a form: JSON without the empty fields. */
export function writeAttribute({ name, nameFormat, source, constant }: AttributeValue): string {
  return JSON.stringify({
    name,
    ...(nameFormat === "" ? {} : { nameFormat }),
    ...(source === "" ? { constant } : { source }),
  });
}

/** Reads what `writeAttribute` has written; fields of anything else are empty. */
export function readAttribute(text: string): AttributeValue {
  const value: unknown = JSON.parse(text);
  const fields: Readonly<Record<string, unknown>> = typeof value === "object" ? { ...value } : {};
  const read = (name: string): string => {
    const field = fields[name];
    return typeof field === "string" ? field : "";
  };
  return {
    name: read("name"),
    nameFormat: read("nameFormat"),
    source: read("source"),
    constant: read("constant"),
  };
}

/** Writes what `writeAttribute` has written for people: `mail = Email`, or with a fixed text in quotation marks. */
export function showAttribute(text: string): string {
  const { name, source, constant } = readAttribute(text);
  return `${name} = ${source === "" ? JSON.stringify(constant) : source}`;
}

/** What can be wrong with the attributes as a whole. */
export type AttributeFault = "unnamed" | "doubled" | "empty";

/** Says what is wrong with the attributes first, if anything is. */
export function findAttributeFault(attributes: readonly AttributeValue[]): AttributeFault | undefined {
  const names = attributes.map(({ name }) => name.trim());
  if (names.includes("")) return "unnamed";
  if (new Set(names).size < names.length) return "doubled";
  if (attributes.some(({ source, constant }) => source === "" && constant === "")) return "empty";
  return undefined;
}
