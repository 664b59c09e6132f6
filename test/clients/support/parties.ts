import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { run } from "./run.ts";

/** A library, and the program here that uses it as its README says. */
export interface Party {
  readonly name: string;
  readonly runtime: Runtime;
  /** The program, in the folder of its runtime. */
  readonly program: string;
  /** The path of its redirect URI. */
  readonly callback: string;
  /** The path at which a login begins. Default: `/login`. */
  readonly start?: string;
  /** Whether its access tokens are JWTs, which it verifies itself. Default: they are opaque. */
  readonly takesJwts?: boolean;
}

type Runtime = "node" | "python" | "go" | "java";

/** All of them, in the order of the table. */
export const parties: readonly Party[] = [
  { name: "openid-client", runtime: "node", program: "openid-client.mjs", callback: "/callback" },
  {
    name: "passport-openidconnect",
    runtime: "node",
    program: "passport-openidconnect.mjs",
    callback: "/callback",
  },
  { name: "passport-oauth2", runtime: "node", program: "passport-oauth2.mjs", callback: "/callback" },
  { name: "grant", runtime: "node", program: "grant.mjs", callback: "/connect/gatehouse/callback" },
  {
    name: "better-auth",
    runtime: "node",
    program: "better-auth.mjs",
    callback: "/api/auth/callback/gatehouse",
  },
  {
    name: "django-allauth",
    runtime: "python",
    program: "django_allauth.py",
    callback: "/accounts/oidc/gatehouse/login/callback/",
    start: "/accounts/oidc/gatehouse/login/",
  },
  { name: "authlib", runtime: "python", program: "authlib_flask.py", callback: "/callback" },
  {
    name: "spring-security",
    runtime: "java",
    program: "target/clients-1.jar",
    callback: "/login/oauth2/code/gatehouse",
    start: "/oauth2/authorization/gatehouse",
    takesJwts: true,
  },
  { name: "go-oidc", runtime: "go", program: "client", callback: "/callback" },
];

const folder = join(import.meta.dirname, "..");
const cache = join(folder, "../../node_modules/.cache/clients");

/** What a runtime needs, and how: the file that pins the versions, and the commands that install them. */
const runtimes: Readonly<
  Record<
    Runtime,
    {
      readonly lock: string;
      readonly install: readonly (readonly string[])[];
      readonly start: (program: string) => readonly string[];
      /** The sources that are compiled. Default: none. */
      readonly compiled?: readonly string[];
    }
  >
> = {
  node: {
    lock: "package-lock.json",
    install: [["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]],
    start: (program) => [process.execPath, program],
  },
  python: {
    lock: "requirements.txt",
    install: [
      ["python3", "-m", "venv", "venv"],
      ["venv/bin/pip", "install", "--quiet", "--no-deps", "-r", "requirements.txt"],
    ],
    start: (program) => ["venv/bin/python", program],
  },
  go: {
    lock: "go.sum",
    install: [["go", "build", "-o", "client", "."]],
    start: () => ["./client"],
    compiled: ["main.go"],
  },
  java: {
    lock: "pom.xml",
    install: [["mvn", "--quiet", "--batch-mode", "package"]],
    start: (program) => ["java", "-jar", program],
    compiled: ["src/main/java/clients/Application.java"],
  },
};

/**
 * Installs what the programs of a runtime need, in the versions of its lock, unless that is there. Returns the folder and the command
 * that starts a program. Throws when it cannot be installed.
 */
export async function install({ runtime, program }: Party): Promise<{
  readonly directory: string;
  readonly command: readonly string[];
}> {
  const { lock, install: commands, start, compiled = [] } = runtimes[runtime];
  const source = join(folder, runtime);
  const hash = createHash("sha256");
  for (const file of [lock, ...compiled]) hash.update(readFileSync(join(source, file)));
  const directory = join(cache, `${runtime}-${hash.digest("hex").slice(0, 16)}`);
  if (!existsSync(directory)) {
    const making = `${directory}.new`;
    rmSync(making, { recursive: true, force: true });
    mkdirSync(making, { recursive: true });
    cpSync(source, making, { recursive: true });
    for (const command of commands) await run(command, making);
    renameSync(making, directory);
  }
  cpSync(source, directory, { recursive: true });
  return { directory, command: start(program) };
}
