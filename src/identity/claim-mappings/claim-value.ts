/** What a claim is in JSON. */
export type ClaimType = "STRING" | "NUMBER" | "BOOLEAN" | "JSON" | "LIST";

/** The value of a claim in JSON. */
export type ClaimValue =
  | string
  | number
  | boolean
  | null
  | readonly unknown[]
  | { readonly [name: string]: unknown };

/** Converts a text to the value of a claim; undefined: it is empty, or has another form. */
export function toClaimValue(type: ClaimType, text: string): ClaimValue | undefined {
  if (text === "") return undefined;
  switch (type) {
    case "STRING":
      return text;
    case "NUMBER": {
      const value = parseJson(text);
      return typeof value === "number" && Number.isFinite(value) ? value : undefined;
    }
    case "BOOLEAN":
      return text === "true" || text === "false" ? text === "true" : undefined;
    case "JSON":
      return parseJson(text);
    case "LIST":
      return toList(text);
  }
}

/** Reads bytes as UTF-8; undefined: they are no text. */
export function toUtf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Converts the value of a claim to the values of an attribute. */
export function toAttributeValues(value: ClaimValue): readonly string[] {
  if (Array.isArray(value))
    return value.map((item) => (typeof item === "string" ? item : JSON.stringify(item)));
  return [typeof value === "string" ? value : JSON.stringify(value)];
}

function toList(text: string): readonly string[] | undefined {
  const parsed = text.trimStart().startsWith("[") ? parseJson(text) : undefined;
  if (Array.isArray(parsed)) return parsed.every((item) => typeof item === "string") ? parsed : undefined;
  const parts = text.split(",").map((part) => part.trim());
  return parts.filter((part) => part !== "");
}

function parseJson(text: string): ClaimValue | undefined {
  try {
    return JSON.parse(text) as ClaimValue; // JSON holds nothing else
  } catch {
    return undefined;
  }
}
