import { imagesPath } from "../../../identity/branding/paths.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import { type Reply, reply } from "../../../kernel/http/exchanges/reply.ts";
import type { Site } from "../../../kernel/http/site.ts";
import { type Assets, assetsPath, readAssets } from "../assets/assets.ts";
import type { AnswerFrame, BrowserAnswer } from "../browser-answer.ts";
import type { LoginProtocol } from "../login-protocol.ts";
import type { LoginRequest } from "../login-request.ts";
import type { Logins } from "../logins.ts";
import { PageRefusal, withWayOn } from "../page-refusal.ts";
import type { LoginPorts } from "../ports.ts";
import type { ProviderLogins } from "../provider-logins.ts";
import { pageOfProblem } from "../problem-page.ts";
import type { BeginningLogin } from "./begin.ts";
import type { LoginRouter } from "./router.ts";
import type { InteractionRequest } from "./visits.ts";

/** What the pages are made of. */
export interface LoginOptions extends Omit<LoginPorts, "layout" | "protocols" | "providers"> {
  /** Returns the issuer; undefined when the service has none, and then every path is unknown. */
  readonly issuer: () => string | undefined;
  /** Load the protocols, with the first request. */
  readonly protocols: Readonly<Record<LoginRequest["protocol"], () => Promise<LoginProtocol>>>;
  /** Loads the logins at identity providers, with the first request. */
  readonly providers: () => Promise<ProviderLogins>;
}

/** Paths outside of `/login/` that are part of a login. Their code is loaded with the first request to them. */
export interface LoginSite {
  readonly name: string;
  readonly paths: Exclude<Site["paths"], "others">;
  readonly loadRouter: () => Promise<(ports: LoginPorts) => LoginRouter>;
}

/** The pages: the site that serves them, and the logins that protocols begin. */
export interface LoginPages {
  readonly sites: readonly Site[];
  readonly logins: Logins;
  /** Loads what the pages work with. */
  loadPorts(): Promise<LoginPorts>;
  /** Creates a site whose answers and errors are pages of a login. */
  createSite(site: LoginSite): Site;
}

/** Creates the pages. Their code is loaded with the first request, so that a start does not wait for it. */
export function createLoginPages(options: LoginOptions): LoginPages {
  let loading: Promise<LoadedPages> | undefined;
  const load = (): Promise<LoadedPages> => {
    loading ??= loadPages(options);
    return loading;
  };
  const logins: Logins = {
    brands: options.brands,
    async begin(exchange, issuer, request, beginning = {}) {
      const { ports, beginLogin } = await load();
      return await beginLogin({ ports, exchange, issuer, request, beginning });
    },
    async goOn(exchange, issuer, id) {
      const { ports, goOnWithLogin } = await load();
      return await goOnWithLogin({ ports, exchange, issuer, id });
    },
    async answer(exchange, answer, uiLocales = []) {
      const { ports, toReply } = await load();
      return toReply(answer, { layout: ports.layout, exchange, uiLocales });
    },
    async renderError(exchange, kind, errorOptions) {
      return (await load()).ports.layout.renderError(exchange, kind, errorOptions);
    },
  };
  let assets: Assets | undefined;
  const isAsset = (path: string): boolean => {
    if (!path.startsWith(assetsPath)) return false;
    assets ??= readAssets();
    return assets.find(path.slice(assetsPath.length)) !== undefined;
  };
  const createSite = (site: LoginSite) => createLoginSite(options, { load, isAsset }, site);
  const sites = [
    createSite({
      name: "login",
      paths: ["/login/*"],
      loadRouter: async () => (await import("./router.ts")).createLoginRouter,
    }),
    createSite({
      name: "images of brandings",
      paths: [`${imagesPath}*`],
      loadRouter: async () => (await import("../standalone/image-router.ts")).createImageRouter,
    }),
  ];
  return { sites, logins, loadPorts: async () => (await load()).ports, createSite };
}

interface LoadedPages {
  readonly ports: LoginPorts;
  readonly beginLogin: (login: BeginningLogin) => Promise<Reply>;
  readonly goOnWithLogin: (request: InteractionRequest) => Promise<Reply>;
  readonly toReply: (answer: BrowserAnswer, frame: AnswerFrame) => Reply;
}

async function loadPages(options: LoginOptions): Promise<LoadedPages> {
  const [{ createLayout }, { beginLogin }, { goOnWithLogin }, { toReply }, providers] = await Promise.all([
    import("../layout.ts"),
    import("./begin.ts"),
    import("./visits.ts"),
    import("../browser-answer.ts"),
    options.providers(),
  ]);
  const [oidc, saml, device, account] = await Promise.all([
    options.protocols.oidc(),
    options.protocols.saml(),
    options.protocols.device(),
    options.protocols.account(),
  ]);
  const ports: LoginPorts = {
    ...options,
    layout: createLayout(options.brands),
    protocols: { oidc, saml, device, account },
    providers,
  };
  return { ports, beginLogin, goOnWithLogin, toReply };
}

function createLoginSite(
  options: LoginOptions,
  {
    load,
    isAsset,
  }: { readonly load: () => Promise<LoadedPages>; readonly isAsset: (path: string) => boolean },
  { name, paths, loadRouter }: LoginSite,
): Site {
  let routing: Promise<LoginRouter> | undefined;
  const createRouter = async (ports: LoginPorts) => (await loadRouter())(ports);
  return {
    name,
    paths,
    cors: undefined,
    // When there are no more places, the page that says so still has its style.
    admission: (path) => (isAsset(path) ? "open" : "call"),
    async handle(exchange) {
      const { ports } = await load();
      routing ??= createRouter(ports);
      const route = await routing;
      const issuer = options.issuer();
      if (!isAsset(exchange.path)) await options.brands.refresh(); // files are there without the database, too
      try {
        if (issuer === undefined) throw new PageRefusal("not-found");
        const { operation, answer } = await route(exchange, issuer);
        reply(exchange, answer);
        return { operation, protocol: "http", code: answer.status < 400 ? 0 : answer.status };
      } catch (error) {
        if (!(error instanceof PageRefusal)) throw error;
        const { kind } = error;
        const errorOptions = issuer === undefined ? error.options : withWayOn(kind, error.options, issuer);
        return send(exchange, ports.layout.renderError(exchange, kind, errorOptions));
      }
    },
    async refuse(exchange, problem) {
      const { layout } = (await load()).ports;
      return send(exchange, layout.renderError(exchange, ...pageOfProblem(problem)));
    },
  };
}

function send(exchange: Exchange, answer: Reply) {
  reply(exchange, answer);
  return { operation: undefined, protocol: "http", code: answer.status };
}
