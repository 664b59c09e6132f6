import type { NodeExchange } from "../http/exchanges/node-exchange.ts";
import { type Reply, reply } from "../http/exchanges/reply.ts";
import { createCors } from "../http/cors.ts";
import { createPages, type PageHandler } from "../http/pages.ts";
import type { Refuse, Site } from "../http/site.ts";
import type { Provider, ProviderOptions } from "./provider.ts";
import { OAuthError, toErrorReply, toProblemReply } from "./requests/oauth-error.ts";

/** What the sites are made of. */
export interface OidcSitesOptions extends ProviderOptions {
  /** Returns the issuer; undefined when the service has none, and then every path is unknown. */
  readonly issuer: () => string | undefined;
}

/** Creates the sites of OpenID Connect and OAuth: one for each set of origins that may call, and one for unknown paths. */
export function createOidcSites(options: OidcSitesOptions): readonly Site[] {
  const page = createPageMaker(options);
  return [
    createPages({
      name: "oidc metadata",
      cors: createCors({ origins: "any", verbs: ["GET"], allowedHeaders: [], exposedHeaders: [] }),
      admission: "call",
      refuse,
      pages: {
        "/.well-known/openid-configuration": { GET: page(({ metadata }, { issuer }) => metadata(issuer)) },
        "/.well-known/oauth-authorization-server": {
          GET: page(({ metadata }, { issuer }) => metadata(issuer)),
        },
        "/oauth/v2/keys": { GET: page(({ keys }) => keys()) },
      },
    }),
    createUnknownPaths(),
  ];
}

type Answer = (
  provider: Provider,
  request: { readonly exchange: NodeExchange; readonly issuer: string },
) => Promise<Reply>;

/** Creates the maker of pages, which load the provider with the first request. */
function createPageMaker({ issuer: findIssuer, ...options }: OidcSitesOptions) {
  let loading: Promise<Provider> | undefined;
  const load = async (): Promise<Provider> => {
    const { createProvider } = await import("./provider.ts");
    return createProvider(options);
  };
  return (answer: Answer): PageHandler =>
    async (exchange) => {
      const issuer = findIssuer();
      if (issuer === undefined) return pathUnknown();
      loading ??= load();
      try {
        return await answer(await loading, { exchange, issuer });
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
