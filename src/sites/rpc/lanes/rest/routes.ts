import type { DescField, DescMethod } from "@bufbuild/protobuf";
import { getOption, hasOption } from "@bufbuild/protobuf";
import type { HttpRule } from "../../../../../gen/google/api/http_pb.ts";
import { http } from "../../../../../gen/google/api/annotations_pb.ts";
import { fieldUndecodable } from "../../errors/refusals.ts";
import type { UnaryMethod } from "../../calls/method.ts";

/** One REST binding of a method: verb and path template. */
export interface Route {
  readonly verb: string;
  /** Such as `/v1/users/{user_id}/grants`. */
  readonly template: string;
  readonly segments: readonly Segment[];
  /** Whether the body holds the request; otherwise the query does. */
  readonly hasBody: boolean;
}

/** A part of a path between two slashes. */
export type Segment =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "variable"; readonly field: DescField };

/** The route that a path has taken. */
export interface RouteMatch {
  readonly method: UnaryMethod;
  readonly route: Route;
  /** The variables of the path, percent-decoded once. */
  readonly variables: readonly (readonly [DescField, string])[];
}

/** All routes, by verb and path. */
export interface RouteTable {
  /** Finds the route of verb and path; else lists the verbs that the path takes, none when nothing has the path. */
  find(verb: string, path: string): RouteMatch | readonly string[];
}

/** Reads the REST bindings of a method from its google.api.http option. Throws for forms that no lane serves. */
export function routesOf(descriptor: DescMethod): readonly Route[] {
  if (!hasOption(descriptor, http)) return [];
  const rule = getOption(descriptor, http);
  return [rule, ...rule.additionalBindings].map((binding) => toRoute(descriptor, binding));
}

/** Creates the table of all routes. Throws when two methods claim the same verb and path. */
export function createRouteTable(methods: readonly UnaryMethod[]): RouteTable {
  const roots = new Map<string, Node>();
  for (const method of methods) {
    for (const route of routesOf(method.descriptor)) {
      const root = roots.get(route.verb) ?? createNode();
      roots.set(route.verb, root);
      insert(root, route, method);
    }
  }
  return {
    find(verb, path) {
      if (!path.startsWith("/")) return [];
      const segments = path.slice(1).split("/");
      const root = roots.get(verb);
      const found = root === undefined ? undefined : search(root, segments, 0);
      if (found !== undefined) return toMatch(found, segments);
      return [...roots].filter(([, other]) => search(other, segments, 0) !== undefined).map(([name]) => name);
    },
  };
}

interface Leaf {
  readonly route: Route;
  readonly method: UnaryMethod;
}

interface Node {
  readonly literals: Map<string, Node>;
  variable: Node | undefined;
  leaf: Leaf | undefined;
}

function createNode(): Node {
  return { literals: new Map(), variable: undefined, leaf: undefined };
}

function toRoute(descriptor: DescMethod, rule: HttpRule): Route {
  const { pattern } = rule;
  if (pattern.case === undefined || pattern.case === "custom")
    throw new Error(`${String(descriptor)}: no plain verb`);
  if (rule.body !== "" && rule.body !== "*")
    throw new Error(`${String(descriptor)}: body must be "*" or absent`);
  const template = pattern.value;
  const segments = template
    .slice(1)
    .split("/")
    .map((text): Segment => {
      const name = /^\{([a-z0-9_]+)\}$/.exec(text)?.[1];
      if (name === undefined) {
        if (!/^[A-Za-z0-9_.-]+$/.test(text))
          throw new Error(`${String(descriptor)}: template ${template} is not served`);
        return { kind: "literal", text };
      }
      const field = descriptor.input.fields.find((candidate) => candidate.name === name);
      if (field?.fieldKind !== "scalar")
        throw new Error(`${String(descriptor)}: ${name} is not a scalar of the request`);
      return { kind: "variable", field };
    });
  return { verb: pattern.case.toUpperCase(), template, segments, hasBody: rule.body === "*" };
}

function insert(root: Node, route: Route, method: UnaryMethod): void {
  let node = root;
  for (const segment of route.segments) {
    let next = segment.kind === "literal" ? node.literals.get(segment.text) : node.variable;
    if (next === undefined) {
      next = createNode();
      if (segment.kind === "literal") node.literals.set(segment.text, next);
      else node.variable = next;
    }
    node = next;
  }
  if (node.leaf !== undefined) throw new Error(`two methods claim ${route.verb} ${route.template}`);
  node.leaf = { route, method };
}

/** A literal is preferred to a variable; if it leads nowhere, the variable is tried. */
function search(node: Node, segments: readonly string[], at: number): Leaf | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.leaf;
  const literal = node.literals.get(segment);
  const found = literal === undefined ? undefined : search(literal, segments, at + 1);
  if (found !== undefined || node.variable === undefined || segment === "") return found;
  return search(node.variable, segments, at + 1);
}

function toMatch({ route, method }: Leaf, segments: readonly string[]): RouteMatch {
  const variables = route.segments.flatMap((segment, index) =>
    segment.kind === "variable"
      ? [[segment.field, decodeSegment(segments[index] ?? "", segment.field)] as const]
      : [],
  );
  return { method, route, variables };
}

function decodeSegment(text: string, field: DescField): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw fieldUndecodable(field.name, "the path is not valid percent-encoded UTF-8");
  }
}
