import {
  anyTenant,
  homeOf,
  subjectOfTenant,
  type TemplateConfig,
} from "../../../identity/providers/template.ts";
import type { TokenClaims } from "../provider/signed-token.ts";
import type { CodePlaces, DiscoveredProvider } from "./discovery.ts";
import { githubApiOf, githubPlaces } from "./github.ts";
import type { CodeConfig } from "./ports.ts";

/** Where a provider is found, and how it speaks: where it differs from OpenID Connect. */
export interface Dialect {
  /** Where its metadata are read; of one that publishes none, what they would say. */
  readonly places: Omit<DiscoveredProvider, "id"> | CodePlaces;
  readonly scope: string;
  readonly hints: Hints;
  /** Whether it makes the browser post its answer (OAuth 2.0 Form Post Response Mode §2). */
  readonly isAnsweredByForm: boolean;
  readonly identity: IdTokenDialect | GithubDialect;
}

/** What of a request of an application it can be told. */
interface Hints {
  /** The values of `prompt` that it knows, of those that applications may send on. */
  readonly prompts: readonly ("login" | "select_account")[];
  /** The parameter for the name that the user has typed somewhere; undefined: there is none. */
  readonly loginHint: string | undefined;
  readonly hasMaxAge: boolean;
}

/** The ID token says who came (OpenID Connect Core §2). */
export interface IdTokenDialect {
  readonly by: "id-token";
  /** Returns the issuer that an ID token with these claims must name; undefined: people may not come from there. */
  issuerOf(claims: TokenClaims): string | undefined;
  subjectOf(claims: TokenClaims): string;
  /** Says whether a key that is listed for an issuer may sign these claims; undefined: keys are listed for none. */
  readonly isKeyOfIssuer?: (issuer: string, claims: TokenClaims) => boolean;
  /** Returns the claims with `email_verified` as it counts. */
  correct(claims: TokenClaims): TokenClaims;
}

/** An API says who came. */
export interface GithubDialect {
  readonly by: "github-api";
  readonly apiUrl: string;
}

/** Returns how a provider speaks. */
export function dialectOf(config: CodeConfig): Dialect {
  switch (config.kind) {
    case "oidc":
      return { ...standard(config.issuer), scope: toScope(config.scopes) };
    case "template":
      return dialectOfTemplate(config);
  }
}

function dialectOfTemplate(config: TemplateConfig): Dialect {
  const home = homeOf(config);
  const plain = standard(home);
  switch (config.template) {
    case "google":
      return {
        ...plain,
        hints: { prompts: ["select_account"], loginHint: "login_hint", hasMaxAge: false },
        // Google writes its issuer with or without the scheme.
        identity: { ...plain.identity, issuerOf: ({ iss }) => (iss === new URL(home).host ? iss : home) },
      };
    case "entra":
      return dialectOfEntra(home, config.tenants);
    case "github":
      return {
        places: githubPlaces(home),
        scope: "read:user user:email",
        hints: { prompts: ["select_account"], loginHint: "login", hasMaxAge: false },
        isAnsweredByForm: false,
        identity: { by: "github-api", apiUrl: githubApiOf(home) },
      };
    case "gitlab":
      return plain;
    case "apple":
      return {
        ...plain,
        scope: "name email",
        hints: { prompts: [], loginHint: undefined, hasMaxAge: false },
        isAnsweredByForm: true, // Apple asks for it wherever the scope is not empty
        // Apple writes a boolean or a text.
        identity: {
          ...plain.identity,
          correct: (claims) => verifiedIf(claims, isTrue(claims["email_verified"])),
        },
      };
  }
}

function standard(issuer: string): Dialect & { readonly identity: IdTokenDialect } {
  return {
    places: { issuer },
    scope: usualScope,
    hints: { prompts: ["login", "select_account"], loginHint: "login_hint", hasMaxAge: true },
    isAnsweredByForm: false,
    identity: {
      by: "id-token",
      issuerOf: () => issuer,
      subjectOf: ({ sub }) => String(sub),
      correct: (claims) => claims,
    },
  };
}

const usualScope = "openid profile email";

/** In the stored order; `openid` is put in front where it is missing, and an empty list means the usual three. */
function toScope(scopes: readonly string[]): string {
  if (scopes.length === 0) return usualScope;
  return (scopes.includes("openid") ? scopes : ["openid", ...scopes]).join(" ");
}

/**
 * One address serves all tenants, and each is an issuer of its own. The address of a person is whatever the administrator of a tenant
 * has written, so it counts as verified only where Entra says that the tenant owns its domain.
 */
function dialectOfEntra(home: string, tenants: readonly string[]): Dialect {
  const issuerOf = (tenant: string) => `${home}/${tenant}/v2.0`;
  const [only = anyTenant, ...more] = tenants;
  const isOne = only !== anyTenant && more.length === 0;
  const place = isOne ? only : mayBePersonal(tenants) ? "common" : "organizations";
  const plain = standard(issuerOf(isOne ? only : "{tenantid}"));
  return {
    ...plain,
    places: { issuer: issuerOf(isOne ? only : "{tenantid}"), base: issuerOf(place) },
    identity: {
      by: "id-token",
      issuerOf: ({ tid }) => (isTenantOf(tenants, tid) ? issuerOf(tid) : undefined),
      subjectOf: ({ tid, sub }) => subjectOfTenant(String(tid), String(sub)),
      // Keys of personal accounts are listed among the others, and must let nobody in as somebody of a company.
      isKeyOfIssuer: (issuer, { tid }) => issuer.replace("{tenantid}", String(tid)) === issuerOf(String(tid)),
      correct: (claims) => verifiedIf(claims, claims["xms_edov"] === true),
    },
  };
}

/** The tenant of personal accounts. */
const personalTenant = "9188040d-6c67-4c5b-b112-36a304b66dad";

function mayBePersonal(tenants: readonly string[]): boolean {
  return tenants.includes(anyTenant) || tenants.includes(personalTenant);
}

function isTenantOf(tenants: readonly string[], tenant: unknown): tenant is string {
  if (typeof tenant !== "string") return false;
  return tenants.includes(tenant) ? tenant !== anyTenant : tenants.includes(anyTenant) && isTenantId(tenant);
}

function isTenantId(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

function verifiedIf(claims: TokenClaims, isVerified: boolean): TokenClaims {
  return { ...claims, email_verified: isVerified };
}

function isTrue(value: unknown): boolean {
  return value === true || value === "true";
}
