import { createCors } from "../http/cors.ts";
import { type Reply, reply } from "../http/exchanges/reply.ts";
import { createPages, type PageHandler } from "../http/pages.ts";
import type { Refuse, Site } from "../http/site.ts";
import type { Endpoint, Provider, ProviderOptions } from "./provider.ts";
import { OAuthError, toErrorReply, toProblemReply } from "./requests/oauth-error.ts";

/** What the sites are made of. */
export interface OidcSitesOptions extends ProviderOptions {
  /** Returns the issuer; undefined when the service has none, and then every path is unknown. */
  readonly issuer: () => string | undefined;
}

/** Creates the sites of OpenID Connect and OAuth: one for each way in which browsers may call, and one for unknown paths. */
export function createOidcSites(options: OidcSitesOptions): readonly Site[] {
  const page = createPageMaker(options);
  const metadata = { GET: page(({ metadata: endpoint }) => endpoint) };
  return [
    createPages({
      name: "oidc documents",
      cors: createCors({ origins: "any", verbs: ["GET"], allowedHeaders: [], exposedHeaders: [] }),
      admission: "call",
      refuse,
      pages: {
        "/.well-known/openid-configuration": metadata,
        "/.well-known/oauth-authorization-server": metadata,
        "/oauth/v2/keys": { GET: page(({ keys }) => keys) },
      },
    }),
    createPages({
      name: "oidc clients",
      // No cookie is read here, so pages of any origin may call.
      cors: createCors({
        origins: "any",
        verbs: ["POST"],
        allowedHeaders: ["authorization", "content-type", "dpop"],
        exposedHeaders: ["www-authenticate", "retry-after"],
      }),
      admission: "call",
      refuse,
      pages: {
        "/oauth/v2/token": { POST: page(({ token }) => token) },
        "/oauth/v2/revoke": { POST: page(({ revocation }) => revocation) },
      },
    }),
    createUnknownPaths(),
  ];
}

/** Creates the maker of pages, which load the provider with the first request. */
function createPageMaker({ issuer: findIssuer, ...options }: OidcSitesOptions) {
  let loading: Promise<Provider> | undefined;
  const load = async (): Promise<Provider> => {
    const { createProvider } = await import("./provider.ts");
    return createProvider(options);
  };
  return (choose: (provider: Provider) => Endpoint): PageHandler =>
    async (exchange) => {
      const issuer = findIssuer();
      if (issuer === undefined) return pathUnknown();
      loading ??= load();
      const answer = choose(await loading);
      try {
        return await answer(exchange, issuer);
      } catch (error) {
        if (error instanceof OAuthError) return toErrorReply(error);
        throw error;
      }
    };
}

/** Takes the paths that nothing else takes, so that they are refused in the words of OAuth. */
function createUnknownPaths(): Site {
  return {
    name: "oidc",
    paths: ["/oauth/*", "/oidc/*"],
    cors: undefined,
    admission: "open",
    refuse,
    async handle(exchange) {
      const answer = pathUnknown();
      reply(exchange, answer);
      return { operation: undefined, protocol: "http", code: answer.status };
    },
  };
}

function pathUnknown(): Reply {
  return toErrorReply(new OAuthError("invalid_request", "there is nothing at this path", { status: 404 }));
}

const refuse: Refuse = async (exchange, problem) => {
  const answer = toProblemReply(problem);
  reply(exchange, answer);
  return { operation: undefined, protocol: "http", code: answer.status };
};
