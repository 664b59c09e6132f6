import { createCors } from "../../kernel/http/cors.ts";
import { reply } from "../../kernel/http/exchanges/reply.ts";
import { createPages, createPagesBelow, type PageHandler } from "../../kernel/http/pages.ts";
import type { Site } from "../../kernel/http/site.ts";
import { createBrowserErrors } from "../login/flow/browser-errors.ts";
import { PageRefusal } from "../login/page-refusal.ts";
import { samlPaths } from "./parties/paths.ts";
import { toPageOfFault } from "./receiving/page-of-fault.ts";
import type { SamlEndpoint, SamlProvider, SamlProviderOptions } from "./provider.ts";

/** What the sites are made of. */
export interface SamlSitesOptions extends SamlProviderOptions {
  /** Returns the issuer; undefined when the service has none, and then every path is unknown. */
  readonly issuer: () => string | undefined;
}

/** Creates the sites of SAML: documents, and one for unknown paths. Errors are pages. */
export function createSamlSites(options: SamlSitesOptions): readonly Site[] {
  const unknown = createUnknownPaths(options);
  const sites = createKnownPaths(options);
  const hide = (site: Site): Site => ({
    ...site,
    handle: (exchange, leave) => (options.issuer() === undefined ? unknown : site).handle(exchange, leave),
  });
  return [...sites.map(hide), unknown];
}

function createKnownPaths(options: SamlSitesOptions): readonly Site[] {
  const { refuse, withErrorPages } = createBrowserErrors(options.logins);
  const load = createProviderLoader(options);
  const page = (choose: (provider: SamlProvider) => SamlEndpoint): PageHandler =>
    withErrorPages(async (exchange) => {
      const issuer = options.issuer();
      if (issuer === undefined) throw new PageRefusal("not-found");
      try {
        return await choose(await load())(exchange, issuer);
      } catch (error) {
        throw toPageOfFault(error);
      }
    });
  const shared = { admission: "call", refuse, cors: undefined } as const;
  const both = (endpoint: PageHandler) => ({ GET: endpoint, POST: endpoint });
  const below = (path: string, name: string, choose: (provider: SamlProvider) => SamlEndpoint): Site =>
    createPagesBelow(path, { ...shared, name, verbs: ["GET"], page: page(choose) });
  return [
    createPages({
      ...shared,
      name: "saml metadata",
      cors: createCors({ origins: "any", verbs: ["GET"], allowedHeaders: [], exposedHeaders: ["etag"] }),
      pages: { [samlPaths.metadata]: { GET: page(({ metadata }) => metadata) } },
    }),
    createPages({
      ...shared,
      name: "saml certificate",
      pages: { [samlPaths.certificate]: { GET: page(({ certificate }) => certificate) } },
    }),
    createPages({
      ...shared,
      name: "saml browsers",
      hasEffects: true,
      pages: {
        [samlPaths.singleSignOn]: both(page((provider) => provider.singleSignOn)),
        [samlPaths.singleLogout]: both(page((provider) => provider.singleLogout)),
      },
    }),
    below(samlPaths.continue, "saml logins that go on", (provider) => provider.continue),
    below(samlPaths.start, "saml logins that begin here", ({ start }) => start),
    below(samlPaths.singleLogout, "saml logouts that go on", (provider) => provider.ongoingLogout),
  ];
}

/** Loads the identity provider with the first request. */
function createProviderLoader(options: SamlProviderOptions): () => Promise<SamlProvider> {
  let loading: Promise<SamlProvider> | undefined;
  const create = async () => (await import("./provider.ts")).createSamlProvider(options);
  return () => {
    loading ??= create();
    return loading;
  };
}

/** Takes the paths that nothing else takes, so that they are refused by a page. */
function createUnknownPaths({ logins }: Pick<SamlSitesOptions, "logins">): Site {
  const { refuse } = createBrowserErrors(logins);
  return {
    name: "saml",
    paths: ["/saml/*"],
    cors: undefined,
    admission: "call",
    refuse,
    async handle(exchange) {
      const answer = await logins.renderError(exchange, "not-found");
      reply(exchange, answer);
      return { operation: undefined, protocol: "http", code: answer.status };
    },
  };
}
