import { resourceMetadataPath } from "../../identity/access/authentication.ts";
import { createCors } from "../../kernel/http/cors.ts";
import { type Reply, reply } from "../../kernel/http/exchanges/reply.ts";
import { createPages, createPagesBelow, type PageHandler } from "../../kernel/http/pages.ts";
import type { Refuse, Site } from "../../kernel/http/site.ts";
import { createBrowserErrors } from "../login/flow/browser-errors.ts";
import { endpointPaths } from "./endpoints/paths.ts";
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
  const userinfo = page(({ userinfo: endpoint }) => endpoint);
  const open = { admission: "call", refuse } as const;
  return [
    createPages({
      ...open,
      name: "oidc documents",
      cors: createCors({ origins: "any", verbs: ["GET"], allowedHeaders: "any", exposedHeaders: [] }),
      pages: {
        "/.well-known/openid-configuration": metadata,
        "/.well-known/oauth-authorization-server": metadata,
        [resourceMetadataPath]: { GET: page((provider) => provider.resourceMetadata) },
        [endpointPaths.keys]: { GET: page(({ keys }) => keys) },
      },
    }),
    createPages({
      ...open,
      name: "oidc clients",
      cors: createClientCors(["POST"]),
      pages: {
        [endpointPaths.pushedAuthorization]: { POST: page((provider) => provider.pushedAuthorization) },
        [endpointPaths.token]: { POST: page(({ token }) => token) },
        [endpointPaths.registration]: { POST: page(({ registration }) => registration) },
        [endpointPaths.revocation]: { POST: page(({ revocation }) => revocation) },
        [endpointPaths.deviceAuthorization]: { POST: page((provider) => provider.deviceAuthorization) },
      },
    }),
    createPages({
      ...open,
      name: "oidc userinfo",
      cors: createClientCors(["GET", "POST"]),
      pages: { [endpointPaths.userinfo]: { GET: userinfo, POST: userinfo } },
    }),
    createPages({
      ...open,
      name: "oidc services",
      cors: undefined, // only servers ask what a token is worth
      pages: { [endpointPaths.introspection]: { POST: page(({ introspection }) => introspection) } },
    }),
    createPages({
      ...open,
      name: "oidc console",
      cors: undefined, // it reads the cookie of the session
      hasEffects: true,
      pages: { [endpointPaths.consoleTokens]: { GET: page(({ consoleTokens }) => consoleTokens) } },
    }),
    ...createBrowserSites(options, page),
    createUnknownPaths(),
  ];
}

/** No cookie is read there, so pages of any origin may call. */
function createClientCors(verbs: readonly string[]) {
  return createCors({
    origins: "any",
    verbs,
    allowedHeaders: ["authorization", "content-type", "dpop"],
    exposedHeaders: ["www-authenticate", "retry-after"],
  });
}

type PageMaker = (choose: (provider: Provider) => Endpoint) => PageHandler;

/** Creates the sites that browsers are sent to. They read cookies, so no other origin may call them, and their errors are pages. */
function createBrowserSites({ logins }: OidcSitesOptions, page: PageMaker): readonly Site[] {
  const { refuse: refuseBrowser, withErrorPages } = createBrowserErrors(logins);
  const ofDevices = createBrowserErrors(logins, { isIsolated: true });
  const shared = { cors: undefined, admission: "call", refuse: refuseBrowser } as const;
  const isolated = { ...shared, refuse: ofDevices.refuse } as const;
  const authorization = withErrorPages(page(({ authorization: endpoint }) => endpoint));
  const endSession = withErrorPages(page(({ endSession: endpoint }) => endpoint));
  const pendingLogout = withErrorPages(page(({ pendingLogout: endpoint }) => endpoint));
  const device = ofDevices.withErrorPages(page(({ device: endpoint }) => endpoint));
  const deviceEnd = ofDevices.withErrorPages(page(({ deviceEnd: endpoint }) => endpoint));
  return [
    createPages({
      ...shared,
      name: "oidc browsers",
      hasEffects: true,
      pages: {
        [endpointPaths.authorization]: { GET: authorization, POST: authorization },
        [endpointPaths.endSession]: { GET: endSession, POST: endSession },
      },
    }),
    createPages({
      ...isolated,
      name: "oidc device page",
      pages: { [endpointPaths.device]: { GET: device, POST: device } },
    }),
    createPagesBelow(endpointPaths.endSession, {
      ...shared,
      name: "oidc logouts",
      verbs: ["GET", "POST"],
      page: pendingLogout,
    }),
    createPagesBelow(endpointPaths.device, {
      ...isolated,
      name: "oidc devices",
      verbs: ["GET", "HEAD"],
      page: deviceEnd,
    }),
  ];
}

/** Creates the maker of pages, which load the provider with the first request. */
function createPageMaker({ issuer: findIssuer, ...options }: OidcSitesOptions): PageMaker {
  let loading: Promise<Provider> | undefined;
  const load = async (): Promise<Provider> => {
    const { createProvider } = await import("./provider.ts");
    return createProvider(options);
  };
  return (choose) => async (exchange) => {
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
