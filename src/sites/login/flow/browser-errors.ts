import { reply } from "../../../kernel/http/exchanges/reply.ts";
import type { PageHandler } from "../../../kernel/http/pages.ts";
import type { Refuse } from "../../../kernel/http/site.ts";
import type { Logins } from "../logins.ts";
import { PageRefusal } from "../page-refusal.ts";
import { pageOfProblem } from "../problem-page.ts";

/** What turns errors into pages. */
export interface BrowserErrors {
  readonly refuse: Refuse;
  readonly withErrorPages: (handler: PageHandler) => PageHandler;
}

/** Creates what shows errors to people. `isIsolated`: as of every page. */
export function createBrowserErrors(
  { renderError, brands }: Pick<Logins, "renderError" | "brands">,
  { isIsolated = false }: { readonly isIsolated?: boolean } = {},
): BrowserErrors {
  return {
    async refuse(exchange, problem) {
      const [kind, options] = pageOfProblem(problem);
      const answer = await renderError(exchange, kind, { ...options, isIsolated });
      reply(exchange, answer);
      return { operation: undefined, protocol: "http", code: answer.status };
    },
    withErrorPages: (handler) => async (exchange) => {
      await brands.refresh();
      try {
        return await handler(exchange);
      } catch (error) {
        if (!(error instanceof PageRefusal)) throw error;
        return await renderError(exchange, error.kind, { ...error.options, isIsolated });
      }
    },
  };
}
