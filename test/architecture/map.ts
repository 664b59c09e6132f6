import { importTable, type Room } from "./import-table.ts";

/** What each room of the house is for, in the order in which a newcomer meets them. */
const purposes: Readonly<Record<Room, string>> = {
  main: "the entry of the process: checks the version of Node before anything else is loaded",
  cli: "the commands: `serve`, `init`, `doctor`, `backup`, `events`, `keys rotate`, `token create`, `rebuild`",
  app: "starts and stops a service: installation, first start, listener, background work",
  services: "puts a service together: every feature and every site, as a table of contents",
  installation: "opens a data folder or a database for any command: lock, keys, event log, projections",
  config: "one table of options, and the parser of flags and environment variables",
  http: "the port: listener, connections and their guards, limits, bodies, CORS, metrics; serves a list of sites and knows no calls",
  rpc: "the site of calls: lanes (bytes to messages), calls (what surrounds every call), endpoints (health, reflection, OpenAPI), errors",
  oidc: "the site of OpenID Connect and OAuth 2: an endpoint, a grant and a rule of the protocol in a file each",
  access: "who calls, and what they may do: authentication of tokens, authorization of every call",
  features:
    "organizations, memberships, users, identity providers, projects, user grants, applications, events, signing keys: their rules, tables and commands",
  webauthn: "checks WebAuthn registrations: a library that knows no feature",
  events: "the event log that every change goes through, and the encryption of personal data in it",
  storage:
    "the engines SQLite and PostgreSQL behind the port `Database`, and the places where an installation is kept: a data folder or a database",
  outbound: "connections that the service opens: the guarded fetch of callers' URLs, SMS providers",
  base: "words that all rooms share: ids, problems, permissions, lists, the ports for clock, randomness and database",
  gen: "code generated from `proto/`, next to `src/`; never edited",
};

/** Makes the table of rooms that src/README.md shows, from the table that the tests enforce. */
export function toRoomTable(): string {
  const rows = Object.entries(purposes).map(([room, purpose]) => {
    const targets = importTable[room as Room].map((target) => `\`${target}\``).join(", "); // a key of the record above
    return `| \`${room}\` | ${purpose} | ${targets === "" ? "nothing" : targets} |`;
  });
  return ["| Room | Purpose | May import |", "| --- | --- | --- |", ...rows].join("\n");
}
