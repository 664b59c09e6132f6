import type { HostileRequest } from "./exchange.ts";
import { queries, segments, verbs } from "./hostile-values.ts";
import type { Change } from "./mutate-headers.ts";
import { hostileTexts } from "./requests.ts";
import type { Random } from "./random.ts";

/** Returns the request with another path, query or verb. */
export function mutatePath(request: HostileRequest, random: Random): HostileRequest {
  return { ...request, ...random.pick(pathMutations)(request, random) };
}

const pathMutations: readonly ((request: HostileRequest, random: Random) => Change)[] = [
  ({ path }, random) => {
    const parts = path.split("/");
    parts[1 + random.below(parts.length - 1)] = random.pick(segments);
    return { what: "a segment of the path", path: parts.join("/") };
  },
  ({ path }, random) => ({ what: "a segment more", path: `${path}/${random.pick(segments)}` }),
  ({ path }, random) => ({
    what: "another path",
    path: `${random.pick(["//", "/./", "/../", "/%2e/", "/;/", "/v1//", "/V1"])}${path}`,
  }),
  (_request, random) => ({
    what: "a random path",
    path: `/${Array.from({ length: random.below(5) }, () => random.pick(segments)).join("/")}`,
  }),
  ({ path }) => ({ what: "a path in another case", path: path.toUpperCase() }),
  ({ path }, random) => ({ what: "a query", path: path.split("?")[0] + random.pick(queries) }),
  (_request, random) => ({
    what: "a query of a list",
    verb: "GET",
    path: `/v1/projects${random.pick(queries)}`,
  }),
  (_request, random) => {
    const filter = encodeURIComponent(random.pick(hostileTexts));
    return { what: "a filter of a list", verb: "GET", path: `/v1/projects?name=${filter}&count_total=true` };
  },
  ({ path, verb: own }, random) => {
    const verb = random.pick(verbs);
    // What the other calls are about stays: only a request that removes by itself names an object to remove.
    const isRemoval = verb === "DELETE" && own !== "DELETE";
    return { what: "another verb", verb, path: isRemoval ? path.replaceAll(/\d{6,}/g, "1") : path };
  },
  (_request, random) => ({
    what: "what stands beside",
    verb: random.pick(["GET", "POST", "HEAD", "OPTIONS"]),
    path: random.pick([
      "/healthz",
      "/readyz",
      "/metrics",
      "/openapi.json",
      "/healthz/",
      "/metrics?a=b",
      "/openapi.json/../metrics",
    ]),
  }),
  ({ path }, random) => ({
    what: "a path in absolute form",
    path: `${random.pick(["http://evil.example", "https://a@b:1", "HTTP://x", "file://", "javascript:", "http://", "*"])}${path}`,
    mayBeCut: true,
  }),
];
