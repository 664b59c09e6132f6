import type { Problem } from "../../kernel/base/problem.ts";
import type { Exchange } from "../../kernel/http/exchanges/exchange.ts";
import { reply } from "../../kernel/http/exchanges/reply.ts";
import type { Refuse, Site } from "../../kernel/http/site.ts";
import type { Logins } from "../login/logins.ts";
import { pageOfProblem } from "../login/problem-page.ts";
import { prefersPage } from "./negotiation.ts";

/** What the pages of refused requests are made of. */
export interface BrowserRefusalsOptions {
  /** Returns the issuer; undefined when nobody can sign in, and then a browser gets what programs get. */
  readonly issuer: () => string | undefined;
  readonly logins: Pick<Logins, "renderError" | "brands">;
  /** Makes the problem of a path that there is not. */
  readonly pathUnknown: () => Problem;
  /** Answers programs. */
  readonly refuse: Refuse;
}

/** Shows people on a page what programs get in JSON. */
export interface BrowserRefusals {
  /** Refuses browsers by a page, and everybody else as before. */
  readonly refuse: Refuse;
  /** Lets a browser that comes to a path that there is not see a page. */
  readonly aroundCalls: (calls: Site) => Site;
}

/**
 * Creates what shows refusals to people who have come by a browser to a path without pages of its own. What calls an rpc or a REST
 * path gets the answer of calls, whatever it would rather read.
 */
export function createBrowserRefusals(options: BrowserRefusalsOptions): BrowserRefusals {
  const { logins, pathUnknown } = options;
  const isForPerson = (exchange: Exchange): boolean =>
    !isOfCalls(exchange.path) && prefersPage(exchange.header("accept")) && options.issuer() !== undefined;
  const refuse: Refuse = async (exchange, problem, leave) => {
    if (!isForPerson(exchange)) return await options.refuse(exchange, problem, leave);
    const [kind, how] = pageOfProblem(problem);
    const page = { ...how, isIsolated: true };
    const answer =
      how.status === 404
        ? await logins.renderError(exchange, "not-found", { ...page, startPath: "/" })
        : await logins.renderError(exchange, kind, page);
    reply(exchange, answer);
    return { operation: undefined, protocol: "http", code: answer.status };
  };
  return {
    refuse,
    aroundCalls: (calls) => ({
      ...calls,
      refuse,
      async handle(exchange, leave) {
        if (["GET", "HEAD"].includes(exchange.verb) && isForPerson(exchange)) throw pathUnknown();
        return await calls.handle(exchange, leave);
      },
    }),
  };
}

/**
 * Of an rpc, such as `/gatehouse.v1.ProjectService/GetProject`, or of REST. The part before the dot holds none, so that a path of
 * nothing but dots takes no longer than another one.
 */
const pathOfCalls = /^\/(?:v\d+(?:\/|$)|[^/.]*\.[^/]*\/)/;

function isOfCalls(path: string): boolean {
  return pathOfCalls.test(path);
}
