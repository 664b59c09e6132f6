import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Runtime, runtimes } from "./runtimes.ts";
import { run } from "./run.ts";
import type { TableName } from "./tables.ts";

/** A library, and the program here that uses it as its README says. */
export interface Party {
  readonly name: string;
  /** What the table calls it. Default: its name. */
  readonly title?: string;
  /** What the lock of its runtime calls it, or several that work together. Default: its name. */
  readonly packages?: readonly string[];
  readonly runtime: Runtime;
  /** The program, in the folder of its runtime. */
  readonly program: string;
  /** The path of its redirect URI. Default: `/callback`. */
  readonly callback?: string;
  /** The path at which a login begins. Default: `/login`. */
  readonly start?: string;
  /** Default: logins. */
  readonly table?: TableName;
  /** Whether its access tokens are JWTs, which it verifies itself. Default: they are opaque. */
  readonly takesJwts?: boolean;
}

/** All of them, in the order of the table. */
export const parties: readonly Party[] = [
  { name: "openid-client", title: "openid-client (Node.js)", runtime: "node", program: "openid-client.mjs" },
  { name: "passport-openidconnect", runtime: "node", program: "passport-openidconnect.mjs" },
  { name: "passport-oauth2", runtime: "node", program: "passport-oauth2.mjs" },
  { name: "simple-oauth2", runtime: "node", program: "simple-oauth2.mjs" },
  { name: "grant", runtime: "node", program: "grant.mjs", callback: "/connect/gatehouse/callback" },
  {
    name: "better-auth",
    runtime: "node",
    program: "better-auth.mjs",
    callback: "/api/auth/callback/gatehouse",
  },
  {
    name: "auth-js",
    title: "Auth.js (with Express)",
    packages: ["@auth/express"],
    runtime: "node",
    program: "auth-js.mjs",
    callback: "/auth/callback/gatehouse",
  },
  { name: "express-openid-connect", runtime: "node", program: "express-openid-connect.mjs" },
  {
    name: "authlib",
    title: "Authlib (Python, with Flask)",
    packages: ["Authlib"],
    runtime: "python",
    program: "authlib_flask.py",
  },
  {
    name: "django-allauth",
    runtime: "python",
    program: "django_allauth.py",
    callback: "/accounts/oidc/gatehouse/login/callback/",
    start: "/accounts/oidc/gatehouse/login/",
  },
  {
    name: "mozilla-django-oidc",
    runtime: "python",
    program: "mozilla_django.py",
    callback: "/oidc/callback/",
    start: "/oidc/authenticate/",
  },
  {
    name: "python-social-auth",
    packages: ["social-auth-core"],
    runtime: "python",
    program: "social_auth.py",
    callback: "/complete/oidc/",
  },
  { name: "pyoidc", title: "pyoidc", packages: ["oic"], runtime: "python", program: "pyoidc.py" },
  {
    name: "python-jose",
    title: "python-jose (verifies tokens)",
    runtime: "python",
    program: "python_jose.py",
    takesJwts: true,
  },
  {
    name: "go-oidc",
    title: "go-oidc with golang.org/x/oauth2",
    packages: ["github.com/coreos/go-oidc/v3", "golang.org/x/oauth2"],
    runtime: "go",
    program: "oidc",
  },
  {
    name: "zitadel-oidc",
    title: "zitadel/oidc (Go)",
    packages: ["github.com/zitadel/oidc/v3"],
    runtime: "go",
    program: "zitadel",
  },
  {
    name: "dex",
    title: "dex (its connector)",
    packages: ["github.com/dexidp/dex"],
    runtime: "go",
    program: "dex",
  },
  {
    name: "oauth2-proxy",
    packages: ["github.com/oauth2-proxy/oauth2-proxy/v7"],
    runtime: "oauth2-proxy",
    program: "program.mjs",
    callback: "/oauth2/callback",
    start: "/",
  },
  {
    name: "kubelogin",
    packages: ["github.com/int128/kubelogin"],
    runtime: "kubelogin",
    program: "program.mjs",
  },
  {
    name: "spring-boot-3",
    title: "Spring Security 6.5 (Spring Boot)",
    runtime: "java",
    program: "target/clients-3.jar",
    callback: "/login/oauth2/code/gatehouse",
    start: "/oauth2/authorization/gatehouse",
    takesJwts: true,
  },
  {
    name: "spring-boot-4",
    title: "Spring Security 7.0 (Spring Boot)",
    runtime: "java",
    program: "target/clients-4.jar",
    callback: "/login/oauth2/code/gatehouse",
    start: "/oauth2/authorization/gatehouse",
    takesJwts: true,
  },
  {
    name: "httpclient",
    title: "Apache HttpClient (forms by hand)",
    packages: ["httpclient5"],
    runtime: "java-forms",
    program: "clients.Forms",
  },
  {
    name: "omniauth",
    title: "OmniAuth with OpenIDConnect (Ruby)",
    packages: ["ruby-omniauth-openid-connect"],
    runtime: "debian",
    program: "omniauth.rb",
    callback: "/auth/gatehouse/callback",
    start: "/auth/gatehouse",
  },
  { name: "oidc-agent", packages: ["oidc-agent-cli"], runtime: "debian", program: "oidc-agent.ts" },
  {
    name: "mod_auth_openidc",
    title: "Apache with mod_auth_openidc",
    packages: ["libapache2-mod-auth-openidc"],
    runtime: "debian",
    program: "mod-auth-openidc.ts",
    callback: "/protected/callback",
    start: "/protected/",
  },
  {
    name: "openid-client-resources",
    title: "openid-client (Node.js)",
    packages: ["openid-client"],
    runtime: "node",
    program: "resources-openid-client.mjs",
    table: "resources",
  },
  {
    name: "oauth4webapi-resources",
    title: "oauth4webapi",
    packages: ["oauth4webapi"],
    runtime: "node",
    program: "resources-oauth4webapi.mjs",
    table: "resources",
  },
  {
    name: "authlib-resources",
    title: "Authlib (Python)",
    packages: ["Authlib"],
    runtime: "python",
    program: "resources_authlib.py",
    table: "resources",
  },
  {
    name: "spring-boot-3-resources",
    title: "Spring Security 6.5 (Spring Boot)",
    packages: ["spring-boot-3"],
    runtime: "java",
    program: "target/clients-3.jar",
    callback: "/login/oauth2/code/orders",
    start: "/oauth2/authorization/orders",
    table: "resources",
  },
  {
    name: "spring-boot-4-resources",
    title: "Spring Security 7.0 (Spring Boot)",
    packages: ["spring-boot-4"],
    runtime: "java",
    program: "target/clients-4.jar",
    callback: "/login/oauth2/code/orders",
    start: "/oauth2/authorization/orders",
    table: "resources",
  },
  {
    name: "express-oauth2-jwt-bearer",
    title: "express-oauth2-jwt-bearer (strict)",
    runtime: "node",
    program: "api-express.mjs",
    table: "apis",
  },
  {
    name: "go-jose",
    packages: ["github.com/go-jose/go-jose/v4"],
    runtime: "go",
    program: "api",
    table: "apis",
  },
  {
    name: "spring-boot-3-api",
    title: "Spring Security 6.5 (resource server)",
    packages: ["spring-boot-3"],
    runtime: "java",
    program: "target/clients-3.jar",
    table: "apis",
  },
  {
    name: "spring-boot-4-api",
    title: "Spring Security 7.0 (resource server)",
    packages: ["spring-boot-4"],
    runtime: "java",
    program: "target/clients-4.jar",
    table: "apis",
  },
  {
    name: "openid-client-registration",
    title: "openid-client (Node.js)",
    packages: ["openid-client"],
    runtime: "node",
    program: "registration-openid-client.mjs",
    table: "registration",
  },
  {
    name: "pyoidc-registration",
    title: "pyoidc",
    packages: ["oic"],
    runtime: "python",
    program: "pyoidc_registration.py",
    table: "registration",
  },
  {
    name: "mcp-sdk-1",
    title: "@modelcontextprotocol/sdk",
    packages: ["@modelcontextprotocol/sdk"],
    runtime: "mcp-node",
    program: "sdk-1.mjs",
    table: "mcp",
  },
  {
    name: "mcp-sdk-2",
    title: "@modelcontextprotocol/client and server",
    packages: ["@modelcontextprotocol/client", "@modelcontextprotocol/server"],
    runtime: "mcp-node",
    program: "sdk-2.mjs",
    table: "mcp",
  },
  {
    name: "mcp-page",
    title: "the programs of [MCP](mcp.md)",
    packages: ["@modelcontextprotocol/client", "@modelcontextprotocol/server"],
    runtime: "mcp-node",
    program: "page.mjs",
    table: "mcp",
  },
  {
    name: "mcp-inspector",
    title: "MCP Inspector (its command line)",
    packages: ["@modelcontextprotocol/inspector"],
    runtime: "mcp-node",
    program: "inspector.mjs",
    table: "mcp",
  },
  {
    name: "mcp-python",
    title: "mcp (Python)",
    packages: ["mcp"],
    runtime: "mcp-python",
    program: "mcp_sdk.py",
    table: "mcp",
  },
  {
    name: "fastmcp",
    title: "FastMCP (Python)",
    packages: ["fastmcp"],
    runtime: "mcp-python",
    program: "fast_mcp.py",
    table: "mcp",
  },
  {
    name: "openid-client-fapi",
    title: "openid-client (Node.js)",
    packages: ["openid-client"],
    runtime: "node",
    program: "fapi-openid-client.mjs",
    table: "fapi",
  },
  {
    name: "dpop",
    title: "dpop with oauth4webapi",
    packages: ["dpop", "oauth4webapi"],
    runtime: "node",
    program: "fapi-dpop.mjs",
    table: "fapi",
  },
  {
    name: "nimbus",
    title: "Nimbus OAuth 2.0 SDK (Java)",
    packages: ["oauth2-oidc-sdk"],
    runtime: "java-fapi",
    program: "clients.Fapi",
    table: "fapi",
  },
];

/** Returns the versions of what a party uses. */
export function findVersions({ name, runtime, packages = [name] }: Party): string {
  return packages.map((wanted) => runtimes[runtime].findVersion(wanted, join(folder, runtime))).join(", ");
}

const folder = join(import.meta.dirname, "..");
const cache = join(folder, "../../node_modules/.cache/clients");

/**
 * Installs what the programs of a runtime need, in the versions of its lock, unless that is there. Returns the folder and the command
 * that starts a program. Throws when it cannot be installed.
 */
export async function install({ runtime, program }: Party): Promise<{
  readonly directory: string;
  readonly command: readonly string[];
}> {
  const { locks, install: commands, start } = runtimes[runtime];
  const source = join(folder, runtime);
  const command = start(program);
  if (locks.length === 0) return { directory: source, command };
  const hash = createHash("sha256");
  for (const file of locks) hash.update(readFileSync(join(source, file)));
  const directory = join(cache, `${runtime}-${hash.digest("hex").slice(0, 16)}`);
  if (!existsSync(directory)) {
    const making = `${directory}.new`;
    rmSync(making, { recursive: true, force: true });
    mkdirSync(making, { recursive: true });
    cpSync(source, making, { recursive: true });
    for (const line of commands) await run(line, making);
    renameSync(making, directory);
  }
  cpSync(source, directory, { recursive: true });
  return { directory, command };
}
