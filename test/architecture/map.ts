import { type Building, buildingOf, importTable, placeOfRoom, type Room } from "./import-table.ts";

/** What each room of the house is for, in the order in which a newcomer meets them. */
const purposes: Readonly<Record<Room, string>> = {
  main: "the entry of the process: checks the version of Node before anything else is loaded",
  cli: "the commands: `serve`, `emulator`, `init`, `doctor`, `backup`, `copy`, `events`, `keys rotate`, `token create`, `setup link`, `rebuild`, `import`, `export`, `plan`, `apply`",
  app: "starts and stops a service: installation, first start, listener, background work",
  workers:
    "the processes of `serve --workers`: begins them, deals connections out to them, gives them turns at writing, and ends those that stand still",
  emulator:
    "makes an emulator for tests of applications of a service: memory, a clock that is turned, messages, logins without pages",
  services:
    "puts a service together, as a table of contents: every feature, every site, and what runs beside them",
  providers: "makes what messages go out with, by the options",
  installation: "opens a data folder or a database for any command: lock, keys, event log, projections",
  importing: "reads the exports of other systems, and plans and does their import; a system in a folder each",
  applying:
    "compares a configuration in a file with a service, over the API, and applies it; `kinds` is the table of what a file can hold",
  config: "one table of options, and the parser of flags and environment variables",
  http: "the port: listener, connections and their guards, limits, bodies, CORS, metrics; serves a list of sites and knows no calls",
  rpc: "the site of calls: lanes (bytes to messages), calls (what surrounds every call), endpoints (health, reflection, OpenAPI), errors",
  login: "the pages of signing in, their interactions and checks, which every protocol shares",
  oidc: "the site of OpenID Connect and OAuth 2: an endpoint, a grant and a rule of the protocol in a file each",
  saml: "the site of SAML 2.0: an endpoint and a rule of the protocol in a file each, messages, bindings and signatures in folders",
  federation:
    "logins at identity providers: sends browsers there, and checks what they bring back; a kind of provider in a folder each",
  account:
    "the pages on which people look after their own account: what the calls do, by the session of the browser",
  scim: "the site of SCIM 2.0: users and groups for directories; schemas, filters, patches and lists in folders",
  front: "what a browser finds first: the start page at `/`, and the files of the console below `/console/`",
  console:
    "the browser application with which people administer the service: it uses nothing but the public API, and no other room has its code",
  client:
    "what programs in TypeScript call the service with: the package's `gatehouse/client`, for Node and browsers",
  access: "who calls, and what they may do: authentication of tokens, authorization of every call",
  features:
    "organizations, memberships, users, identity providers, projects, user grants, applications, events, signing keys: their rules, tables and commands",
  webauthn: "checks WebAuthn registrations and logins: a library that knows no feature",
  xml: "reads, canonicalizes, signs, verifies and writes XML: a library that knows no SAML",
  events: "the event log that every change goes through, and the encryption of personal data in it",
  storage:
    "the engines SQLite and PostgreSQL behind the port `Database`, and the places where an installation is kept: a data folder or a database",
  outbound:
    "connections that the service opens: the guarded fetch of callers' URLs, providers of SMS and emails",
  base: "words that all rooms share: ids, problems, permissions, lists, the ports for clock, randomness and database",
  gen: "code generated from `proto/`, next to `src/`; never edited",
};

/** What each building is, in the order of the rooms. */
const buildings: Readonly<Record<Building, string>> = {
  process: "The process: what starts a service and the commands. It may import everything but the console.",
  sites: "`sites/`: what answers at the port. A site imports no other site but `login`.",
  console: "`console/`: a program of its own, for the browser.",
  client: "`client/`: a library for programs that call the service.",
  identity: "`identity/`: users, and what they may do. It imports only the kernel.",
  kernel: "`kernel/`: what knows no user. It imports nothing above it.",
  gen: "Beside `src/`.",
};

/** Makes the tables of rooms that src/README.md shows, from the table that the tests enforce. */
export function toRoomTable(): string {
  return Object.entries(buildings)
    .map(([building, text]) => {
      const rooms = (Object.keys(purposes) as Room[]).filter((room) => buildingOf(room) === building); // its keys
      const rows = rooms.map((room) => {
        const targets = importTable[room].map((target) => `\`${target}\``).join(", ");
        const place = placeOfRoom[room].replace(/^src\//, "");
        return `| \`${room}\` | \`${place}\` | ${purposes[room]} | ${targets === "" ? "nothing" : targets} |`;
      });
      return [text, "", "| Room | In | Purpose | May import |", "| --- | --- | --- | --- |", ...rows].join(
        "\n",
      );
    })
    .join("\n\n");
}
