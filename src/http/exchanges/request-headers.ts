/** The headers of a request as Node has them: joined, and as they came. */
export interface RequestHeaders {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
}

/** Reads a header by its name in lower case; the values of a repeated one are joined by ", ". */
export function headerOf(request: RequestHeaders, name: string): string | undefined {
  const value = name === "authorization" ? authorizationOf(request.rawHeaders) : request.headers[name];
  return typeof value === "object" ? value.join(", ") : value;
}

/** Reads every authorization that was sent: Node keeps the first of several on each version of HTTP, and none may be preferred. */
function authorizationOf(rawHeaders: readonly string[]): string | undefined {
  let values: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (name.length !== "authorization".length || name.toLowerCase() !== "authorization") continue;
    const value = rawHeaders[index + 1] ?? "";
    values = values === undefined ? value : `${values}, ${value}`;
  }
  return values;
}
