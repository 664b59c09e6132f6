import { posix } from "node:path";

/** A room of the house: a folder below src/, a file directly in src/, or gen/. */
export type Room =
  | "access"
  | "base"
  | "config"
  | "events"
  | "features"
  | "http"
  | "outbound"
  | "rpc"
  | "login"
  | "oidc"
  | "saml"
  | "federation"
  | "account"
  | "scim"
  | "front"
  | "console"
  | "storage"
  | "webauthn"
  | "xml"
  | "installation"
  | "importing"
  | "applying"
  | "providers"
  | "services"
  | "app"
  | "workers"
  | "emulator"
  | "cli"
  | "main"
  | "client"
  | "gen";

/** Which other rooms each room may import. Every file may import its own room; features have rules of their own. */
export const importTable: Readonly<Record<Room, readonly Room[]>> = {
  gen: [],
  base: [],
  config: ["base"],
  events: ["base"],
  outbound: ["base"],
  webauthn: ["base"],
  xml: ["base"],
  storage: ["base", "events"],
  features: ["base", "events", "webauthn", "xml", "gen"],
  access: ["base", "events", "features", "gen"],
  http: ["base"],
  rpc: ["base", "events", "features", "access", "gen", "http"],
  login: ["base", "events", "features", "http", "webauthn"],
  oidc: ["base", "events", "features", "access", "http", "login"],
  saml: ["base", "events", "features", "access", "http", "login", "xml"],
  federation: ["base", "events", "features", "http", "login", "xml"],
  account: ["base", "events", "features", "access", "http", "login"],
  scim: ["base", "features", "http", "gen"],
  front: ["base", "features", "http", "login"],
  console: [],
  installation: ["base", "events", "features", "storage"],
  importing: ["base", "events", "features", "outbound", "storage", "rpc", "gen"],
  applying: ["base", "features", "client", "gen"],
  providers: ["base", "config", "features", "outbound", "storage"],
  services: [
    "base",
    "config",
    "features",
    "access",
    "outbound",
    "storage",
    "http",
    "rpc",
    "login",
    "oidc",
    "saml",
    "federation",
    "account",
    "scim",
    "front",
    "installation",
    "providers",
    "gen",
  ],
  app: ["base", "config", "storage", "http", "rpc", "installation", "services"],
  workers: ["base", "storage", "http"],
  emulator: ["base", "features", "storage", "http", "login", "oidc", "applying", "client", "services", "gen"],
  cli: [
    "base",
    "config",
    "events",
    "features",
    "storage",
    "installation",
    "importing",
    "outbound",
    "applying",
    "client",
    "app",
    "workers",
    "emulator",
  ],
  main: ["cli"],
  client: ["gen"],
};

/** Where each room stands: a folder, or one file. */
export const placeOfRoom: Readonly<Record<Room, string>> = {
  gen: "gen",
  base: "src/kernel/base",
  config: "src/config",
  events: "src/kernel/events",
  outbound: "src/kernel/outbound",
  webauthn: "src/kernel/webauthn",
  xml: "src/kernel/xml",
  storage: "src/kernel/storage",
  features: "src/identity",
  access: "src/identity/access",
  http: "src/kernel/http",
  rpc: "src/sites/rpc",
  login: "src/sites/login",
  oidc: "src/sites/oidc",
  saml: "src/sites/saml",
  federation: "src/sites/federation",
  account: "src/sites/account",
  scim: "src/sites/scim",
  front: "src/sites/front",
  console: "src/console",
  installation: "src/app/installation.ts",
  importing: "src/importing",
  applying: "src/applying",
  providers: "src/app/providers.ts",
  services: "src/app",
  app: "src/app/app.ts",
  workers: "src/workers",
  emulator: "src/emulator",
  cli: "src/cli",
  main: "src/main.ts",
  client: "src/client",
};
/** A part of the house that can be read alone. A file beside the buildings belongs to the process. */
export type Building = "kernel" | "identity" | "sites" | "console" | "client" | "process" | "gen";

/**
 * What the rooms of a building may import of other buildings, whatever else the table of rooms allows. `login` has the pages that every
 * protocol shares, so it is the one site that others import.
 */
export const buildingTable: Readonly<Record<Building, readonly (Building | Room)[]>> = {
  gen: [],
  kernel: [],
  identity: ["kernel", "gen"],
  sites: ["kernel", "identity", "gen", "login"],
  console: [],
  client: ["gen"],
  process: ["kernel", "identity", "sites", "client", "gen", "process"],
};

/** Returns the building of a room. */
export function buildingOf(room: Room): Building {
  const [top = "", second = ""] = placeOfRoom[room].split("/");
  if (top === "gen") return "gen";
  return second === "kernel" ||
    second === "identity" ||
    second === "sites" ||
    second === "console" ||
    second === "client"
    ? second
    : "process";
}

/** The rooms, those inside of others first. */
const rooms = (Object.entries(placeOfRoom) as [Room, string][]) // its keys
  .toSorted(([, one], [, other]) => other.length - one.length);

/**
 * The files of a feature of which another feature may import only types, unless it is such a file itself. Its decisions are pure and
 * open: first start and access control compose those of several features.
 */
const closedToOtherFeatures: ReadonlySet<string> = new Set(["rpc.ts"]);

/** What only `src/kernel/storage/places` and the engines themselves may name. */
const engineFolders = [
  "src/kernel/storage/engine",
  "src/kernel/storage/postgres",
  "src/kernel/storage/sqlite",
];

/** One import, re-export or dynamic import. `target` is a path from the repository root, or a package name. */
export interface Import {
  readonly file: string;
  readonly specifier: string;
  readonly target: string;
  readonly isRelative: boolean;
  readonly isTypeOnly: boolean;
  /** Whether the file is loaded only when the code comes there. */
  readonly isDynamic: boolean;
}

const statement =
  /^[ \t]*(?:import|export)\s+(?<type>type\s)?(?:[\w*{][^;"'`]*?\sfrom\s*)["'](?<specifier>[^"']+)["']/gm;
const sideEffect = /^[ \t]*import\s*["'](?<specifier>[^"']+)["']/gm;
const dynamic = /\b(?<![.#])(?:import|require)\(\s*["'](?<specifier>[^"']+)["']\s*[),]/g;

/** Returns the imports of a source file. `file` is its path from the repository root. */
export function importsOf(file: string, source: string): readonly Import[] {
  const code = withoutComments(source);
  return [statement, sideEffect, dynamic].flatMap((pattern) =>
    [...code.matchAll(pattern)].map(({ groups }) => {
      const specifier = groups?.["specifier"] ?? "";
      const isRelative = specifier.startsWith(".");
      const target = isRelative ? posix.join(posix.dirname(file), specifier) : specifier;
      const isTypeOnly = groups?.["type"] !== undefined;
      return { file, specifier, target, isRelative, isTypeOnly, isDynamic: pattern === dynamic };
    }),
  );
}

/** Returns the room of a path from the repository root, or undefined when the house has no such room. */
export function roomOf(path: string): Room | undefined {
  return rooms.find(([, place]) => path === place || path.startsWith(`${place}/`))?.[0];
}

/** Says what is wrong with an import between files of ours, or returns undefined. */
export function breachOf(each: Import): string | undefined {
  if (!each.isRelative) return undefined;
  const from = roomOf(each.file);
  const to = roomOf(each.target);
  if (from === "console" && each.target.startsWith("gen/console/")) return undefined;
  if (from === undefined) return `${each.file} is in no room`;
  if (to === undefined) return `${each.file} imports ${each.target}, which is in no room`;
  if (from === "features" && to === "gen" && !mayFeatureFileSeeGen(each.file)) {
    return `${each.file} imports ${each.target}: only rpc.ts sees gen/`;
  }
  if (from === "features" && to === "features") return breachBetweenFeatures(each);
  if (
    to === "storage" &&
    from !== "storage" &&
    engineFolders.some((folder) => each.target.startsWith(`${folder}/`))
  ) {
    return `${each.file} imports ${each.target}: which engine there is only storage knows`;
  }
  if (from === to || importTable[from].includes(to)) return undefined;
  return `${each.file} imports ${each.target}: ${from} may not import ${to}`;
}

/** Returns the circles between files, each as the list of its files; none when the imports run one way. */
export function circlesOf(imports: readonly Import[]): readonly (readonly string[])[] {
  const targets = new Map<string, string[]>();
  for (const { file, target } of imports.filter((each) => each.isRelative)) {
    targets.set(file, [...(targets.get(file) ?? []), target]);
  }
  const circles: string[][] = [];
  const finished = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) circles.push([...path.slice(at), file]);
    if (at >= 0 || finished.has(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...path, file]);
    finished.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return circles;
}

/**
 * Returns the folders that import each other, each pair once. Two files are compared where their paths part: an import of
 * `src/a/b/x.ts` by `src/a/c/d/y.ts` runs from `src/a/c` to `src/a/b`. A file of a folder itself counts as the folder, so
 * that a folder and one inside it are a pair, too; a file directly in `src` is a room of its own.
 */
export function twoWayFoldersOf(imports: readonly Import[]): readonly string[] {
  const arrows = new Set(imports.filter(({ isRelative }) => isRelative).map(folderArrowOf));
  const pairs = [...arrows].flatMap((arrow) => {
    const [from = "", to = ""] = arrow.split(" -> ");
    return from < to && arrows.has(`${to} -> ${from}`) ? [`${from} <-> ${to}`] : [];
  });
  return pairs.toSorted();
}

function folderArrowOf({ file, target }: Import): string {
  const [from, to] = [foldersOf(file), foldersOf(target)];
  let shared = 0;
  while (shared < from.length && from[shared] === to[shared]) shared++;
  return [from, to].map((folders) => folders.slice(0, shared + 1).join("/")).join(" -> ");
}

function foldersOf(file: string): readonly string[] {
  return (posix.dirname(file) === "src" ? file : posix.dirname(file)).split("/");
}

function breachBetweenFeatures({ file, target, isTypeOnly }: Import): string | undefined {
  const to = featureOf(target);
  const isAllowed =
    isTypeOnly ||
    to === undefined ||
    to === featureOf(file) ||
    closedToOtherFeatures.has(posix.basename(file)) ||
    !closedToOtherFeatures.has(posix.basename(target));
  return isAllowed
    ? undefined
    : `${file} imports ${target}: of another feature's ${posix.basename(target)} only types`;
}

/** Returns the folder name of the feature, or undefined for a file directly in the folder of all features. */
function featureOf(path: string): string | undefined {
  const parts = posix.relative(placeOfRoom.features, path).split("/");
  return parts.length > 1 ? parts[0] : undefined;
}

function mayFeatureFileSeeGen(file: string): boolean {
  return featureOf(file) === undefined || posix.basename(file) === "rpc.ts";
}

function withoutComments(source: string): string {
  return source.replaceAll(/^[ \t]*\/\/.*$/gm, "").replaceAll(/^[ \t]*\/\*[\s\S]*?\*\//gm, "");
}
