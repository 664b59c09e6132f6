import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import { type Reply, reply } from "../../../kernel/http/exchanges/reply.ts";
import type { Outcome, Site } from "../../../kernel/http/site.ts";
import { type Layout } from "../../login/layout.ts";
import { PageRefusal } from "../../login/page-refusal.ts";
import { pageOfProblem } from "../../login/problem-page.ts";
import type { AccountPorts } from "../account-page.ts";
import { accountPath } from "../../login/standalone/account-path.ts";
import type { AccountRouter } from "./router.ts";

/** What the pages of the account are made of. */
export interface AccountOptions extends Omit<AccountPorts, "layout"> {
  /** Returns the issuer; undefined when the service has none, and then every path is unknown. */
  readonly issuer: () => string | undefined;
}

interface LoadedPages {
  readonly layout: Layout;
  readonly route: AccountRouter;
}

/** Creates the site of the account. Its code is loaded with the first request, so that a start does not wait for it. */
export function createAccountSite(options: AccountOptions): Site {
  let loading: Promise<LoadedPages> | undefined;
  const load = (): Promise<LoadedPages> => {
    loading ??= loadPages(options);
    return loading;
  };
  return {
    name: "account",
    paths: [accountPath, `${accountPath}/*`],
    cors: undefined,
    admission: "call",
    async handle(exchange) {
      const { layout, route } = await load();
      const issuer = options.issuer();
      await options.logins.brands.refresh();
      try {
        if (issuer === undefined) throw new PageRefusal("not-found");
        const { operation, answer } = await route(exchange, issuer);
        return send(exchange, answer, operation);
      } catch (error) {
        if (!(error instanceof PageRefusal)) throw error;
        return send(
          exchange,
          layout.renderError(exchange, error.kind, { ...error.options, isIsolated: true }),
        );
      }
    },
    async refuse(exchange, problem) {
      const { layout } = await load();
      const [kind, how] = pageOfProblem(problem);
      return send(exchange, layout.renderError(exchange, kind, { ...how, isIsolated: true }));
    },
  };
}

async function loadPages(options: AccountOptions): Promise<LoadedPages> {
  const [{ createLayout }, { createAccountRouter }] = await Promise.all([
    import("../../login/layout.ts"),
    import("./router.ts"),
  ]);
  const layout = createLayout(options.logins.brands);
  return { layout, route: createAccountRouter({ ...options, layout }) };
}

function send(exchange: Exchange, answer: Reply, operation?: string): Outcome {
  reply(exchange, answer);
  const code = answer.status < 400 ? 0 : answer.status;
  return { operation, protocol: "http", code };
}
