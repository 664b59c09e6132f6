import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import { methodNotAllowed } from "../../../kernel/http/errors/refusals.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { assetsPath, readAssets } from "../assets/assets.ts";
import { redirectToIssuer } from "../issuer-origin.ts";
import { idpPage } from "../pages/idp.ts";
import { readPageForm } from "../page-form.ts";
import type { LoginRequest } from "../login-request.ts";
import { PageRefusal } from "../page-refusal.ts";
import type { LoginPorts } from "../ports.ts";
import { toTexts } from "../texts/texts.ts";
import { beginLogin } from "./begin.ts";
import { isBringing, takeBrought } from "./brought-identity.ts";
import { findPage, findStandalonePage } from "./pages.ts";
import {
  chooseAnotherWay,
  continueInteraction,
  type InteractionRequest,
  showInteraction,
  showPage,
  submitInteraction,
  withWayBack,
} from "./visits.ts";

/** The answers of one path by verb. */
interface Route {
  /** Names the path in the metrics, without anything that a browser chooses. */
  readonly operation: string;
  readonly GET?: () => Promise<Reply>;
  /** Whether GET changes nothing, and answers HEAD too (RFC 9110 §9.2.1). The pages of a login may begin, end or remember something. */
  readonly isSafe?: boolean | undefined;
  readonly POST?: () => Promise<Reply>;
}

/** Answers a request below `/login/`. */
export type LoginRouter = (
  exchange: Exchange,
  issuer: string,
) => Promise<{ readonly operation: string; readonly answer: Reply }>;

/** Creates the router of the pages. It raises the refusal of unknown paths, and METHOD_NOT_ALLOWED. */
export function createLoginRouter(ports: LoginPorts): LoginRouter {
  const assets = readAssets();
  return async (exchange, issuer) => {
    const route = findAssetRoute(assets, exchange.path) ?? findRoute(ports, exchange, issuer);
    if (route === undefined) throw new PageRefusal("not-found");
    const answer = answerOf(route, exchange.verb);
    const { operation } = route;
    if (answer === undefined) throw methodNotAllowed(verbsOf(route));
    return { operation, answer: redirectToIssuer(exchange, issuer) ?? (await answer()) };
  };
}

function answerOf(route: Route, verb: string): (() => Promise<Reply>) | undefined {
  if (verb === "GET" || (verb === "HEAD" && route.isSafe === true)) return route.GET;
  return verb === "POST" ? route.POST : undefined;
}

function verbsOf({ GET, isSafe = false, POST }: Route): readonly string[] {
  return [
    ...(GET === undefined ? [] : ["GET"]),
    ...(isSafe ? ["HEAD"] : []),
    ...(POST === undefined ? [] : ["POST"]),
  ];
}

/** Its path names its content, so that it may be kept for ever. */
function findAssetRoute(assets: ReturnType<typeof readAssets>, path: string): Route | undefined {
  const asset = path.startsWith(assetsPath) ? assets.find(path.slice(assetsPath.length)) : undefined;
  if (asset === undefined) return undefined;
  const headers = { "content-type": asset.type, "cache-control": "public, max-age=31536000, immutable" };
  return {
    operation: `${assetsPath}{file}`,
    isSafe: true,
    GET: async () => ({ status: 200, headers, body: asset.bytes }),
  };
}

function findRoute(ports: LoginPorts, exchange: Exchange, issuer: string): Route | undefined {
  const [first = "", second, ...more] = exchange.path.slice("/login/".length).split("/");
  if (more.length > 0) return undefined;
  const request: InteractionRequest = { ports, exchange, issuer, id: first };
  if (/^[1-9][0-9]{0,18}$/.test(first)) return findInteractionRoute(request, second);
  const page = second === undefined ? undefined : findStandalonePage(first);
  if (page === undefined || second === undefined) return undefined;
  const begin = (asked: LoginRequest) =>
    beginLogin({ ports, exchange, issuer, request: asked, beginning: {} });
  const openVisit = () => {
    const acceptLanguage = exchange.header("accept-language");
    const texts = toTexts(ports.layout.chooseLanguage({ acceptLanguage }));
    return { exchange, issuer, ports, texts, begin };
  };
  return {
    operation: `/login/${page.name}/{rest}`,
    isSafe: page.isSafe,
    GET: async () => await page.show(openVisit(), second),
    POST: async () => await page.submit(openVisit(), second, await readPageForm(exchange, ports.bodies)),
  };
}

function findInteractionRoute(request: InteractionRequest, name: string | undefined): Route | undefined {
  if (name === undefined)
    return { operation: "/login/{id}", GET: () => withWayBack(request, () => showInteraction(request)) };
  if (name === "continue")
    return {
      operation: "/login/{id}/continue",
      GET: () => withWayBack(request, () => continueInteraction(request)),
    };
  if (name === "another-way")
    return {
      operation: "/login/{id}/another-way",
      GET: () => withWayBack(request, () => chooseAnotherWay(request)),
    };
  const page = findPage(name);
  if (page === undefined) return undefined;
  return {
    operation: `/login/{id}/${page.name}`,
    GET: () =>
      withWayBack(request, () =>
        page === idpPage && isBringing(request) ? takeBrought(request) : showPage(request, page),
      ),
    POST: () => withWayBack(request, () => submitInteraction(request, page)),
  };
}
