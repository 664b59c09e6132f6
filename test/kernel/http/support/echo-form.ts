import type { Exchange } from "../../../../src/kernel/http/exchanges/exchange.ts";
import { reply } from "../../../../src/kernel/http/exchanges/reply.ts";
import type { BodyReader } from "../../../../src/kernel/http/bodies/body.ts";
import { createPages } from "../../../../src/kernel/http/pages.ts";
import { httpStatusOf, problemHeaders } from "../../../../src/kernel/http/errors/problem-status.ts";
import { contentTypeUnsupported } from "../../../../src/kernel/http/errors/refusals.ts";
import type { Refuse, Site } from "../../../../src/kernel/http/site.ts";

/** Largest form that is taken. */
export const maxFormBytes = 1000;

const html = "text/html; charset=utf-8";

/** What a test has the form do before it answers. */
export type BeforeEcho = () => Promise<void>;

/** Creates a site for browsers: a form, and what it echoes. It knows nothing of calls. */
export function createEchoForm(bodies: BodyReader, before: BeforeEcho = async () => {}): Site {
  return createPages({
    name: "form",
    cors: undefined,
    admission: "call",
    refuse,
    pages: {
      "/form": {
        GET: async () => ({
          status: 200,
          headers: { "content-type": html, "set-cookie": ["session=1; HttpOnly", "csrf=2; HttpOnly"] },
          body: '<form method="post"><input name="text"></form>',
        }),
        async POST(exchange) {
          requireForm(exchange);
          const form = new URLSearchParams(Buffer.from(await bodies.read(exchange, maxFormBytes)).toString());
          await before();
          return {
            status: 200,
            headers: { "content-type": html },
            body: `<p>${escape(form.get("text") ?? "")}</p>`,
          };
        },
      },
      "/form/gone": {
        GET: async () => ({ status: 410, headers: { "content-type": html }, body: "<p>gone</p>" }),
      },
    },
  });
}

function requireForm(exchange: Exchange): void {
  if (exchange.header("content-type") !== "application/x-www-form-urlencoded")
    throw contentTypeUnsupported("send a form");
}

const refuse: Refuse = async (exchange, problem) => {
  const status = httpStatusOf(problem);
  reply(exchange, {
    status,
    headers: { "content-type": html, ...problemHeaders(problem) },
    body: `<h1>${status}</h1><p>${escape(problem.message)}</p>`,
  });
  return { operation: undefined, protocol: "http", code: status };
};

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
