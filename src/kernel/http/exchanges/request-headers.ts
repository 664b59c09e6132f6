/** The headers of a request in Node's two forms: joined, and as they came. */
export interface RequestHeaders {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Names and values alternating. */
  readonly rawHeaders: readonly string[];
  /** The target of the request as it was sent; absent for a bare stream of HTTP/2. */
  readonly url?: string | undefined;
}

/** Reads a header by its name in lower case; the values of a repeated one are joined by ", ". */
export function headerOf(request: RequestHeaders, name: string): string | undefined {
  const value = name === "authorization" ? authorizationOf(request.rawHeaders) : request.headers[name];
  return typeof value === "object" ? value.join(", ") : value;
}

/** Reads all authorization headers: Node keeps only the first, and none may be preferred. */
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
