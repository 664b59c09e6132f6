/** The path under which the console is served. */
export const basePath = "/console";

/** The names of the variables in a pattern: `ParamsOf<"/orgs/:organization/users">` is `"organization"`. */
export type ParamsOf<Pattern extends string> = Pattern extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? Name | ParamsOf<`/${Tail}`>
    : Rest
  : never;

/** A place in the console: the path below `/console`, which begins with a slash, and the query without its `?`. */
export interface Place {
  readonly path: string;
  readonly query: string;
}

/** A pattern that fits a path, with the values of its variables. */
export interface Match<Route> {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the route of a path. A literal segment wins over a variable. Undefined when no pattern fits. */
export function matchRoute<Route extends { readonly pattern: string }>(
  routes: readonly Route[],
  path: string,
): Match<Route> | undefined {
  const segments = segmentsOf(path);
  const matches = routes.flatMap((route) => {
    const params = matchSegments(segmentsOf(route.pattern), segments);
    return params === undefined ? [] : [{ route, params }];
  });
  return matches.toSorted((a, b) => variablesOf(a.route.pattern) - variablesOf(b.route.pattern))[0];
}

/** Fills the variables of a pattern in. A value may hold any character: it is percent-encoded. */
export function toPath<Pattern extends string>(
  pattern: Pattern,
  ...[params]: [ParamsOf<Pattern>] extends [never] ? [] : [Readonly<Record<ParamsOf<Pattern>, string>>]
): string {
  const values: Readonly<Record<string, string>> = params ?? {};
  return pattern.replaceAll(/:(\w+)/g, (_variable, name: string) => encodeURIComponent(values[name] ?? ""));
}

/** Fills those variables of a pattern in that a page has values for; undefined when one has none. */
export function fillPattern(pattern: string, params: Readonly<Record<string, string>>): string | undefined {
  const names = [...pattern.matchAll(/:(\w+)/g)].map(([, name]) => name ?? "");
  if (names.some((name) => params[name] === undefined)) return undefined;
  return pattern.replaceAll(/:(\w+)/g, (_variable, name: string) => encodeURIComponent(params[name] ?? ""));
}

/** Reads a place from the path and the query of a URL; undefined when the path is not one of the console. */
export function toPlace(pathname: string, search: string): Place | undefined {
  if (pathname !== basePath && !pathname.startsWith(`${basePath}/`)) return undefined;
  const path = pathname.slice(basePath.length);
  return { path: path === "" ? "/" : path, query: search.replace(/^\?/, "") };
}

/** Writes the place as a URL of this origin. */
export function toUrl({ path, query }: Place): string {
  return `${basePath}${path}${query === "" ? "" : `?${query}`}`;
}

/** Reads a place from a link between pages, such as `/orgs?name=Lamp`. */
export function parsePlace(link: string): Place {
  const [path = "/", query = ""] = link.split("?", 2);
  return { path, query };
}

function matchSegments(
  pattern: readonly string[],
  path: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (pattern.length !== path.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of pattern.entries()) {
    const value = decode(path[index] ?? "");
    if (value === undefined) return undefined;
    if (segment.startsWith(":")) params[segment.slice(1)] = value;
    else if (segment !== value) return undefined;
  }
  return params;
}

function segmentsOf(path: string): readonly string[] {
  return path.split("/").filter((segment) => segment !== "");
}

function variablesOf(pattern: string): number {
  return segmentsOf(pattern).filter((segment) => segment.startsWith(":")).length;
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined; // a lone % names nothing
  }
}
