import { type Reply, reply } from "../../kernel/http/exchanges/reply.ts";
import type { Refuse, Site } from "../../kernel/http/site.ts";
import type { ScimOptions } from "./calls/rpc-calls.ts";
import { toScimErrorReply } from "./errors/scim-error.ts";

/** Creates the site of SCIM 2.0 (RFC 7643, RFC 7644): an organization's users and groups, for a directory that provisions them. */
export function createScimSite(options: ScimOptions): Site {
  let loading: Promise<(exchange: Parameters<Site["handle"]>[0]) => Promise<Reply>> | undefined;
  return {
    name: "scim",
    paths: ["/scim/v2/*"],
    cors: undefined, // directories call, no pages
    admission: "call",
    singularHeaders: ["if-match", "if-none-match"],
    refuse,
    async handle(exchange) {
      loading ??= load(options);
      const answer = await (await loading)(exchange);
      reply(exchange, answer);
      return { operation: "/scim/v2", protocol: "http", code: answer.status < 400 ? 0 : answer.status };
    },
  };
}

/** Loads the code with the first request. */
async function load(options: ScimOptions) {
  const { answerScim } = await import("./requests/router.ts");
  const { ScimError } = await import("./errors/scim-error.ts");
  return async (exchange: Parameters<Site["handle"]>[0]): Promise<Reply> => {
    try {
      return await answerScim(options, exchange);
    } catch (error) {
      if (error instanceof ScimError) return toScimErrorReply(error);
      throw error;
    }
  };
}

const refuse: Refuse = async (exchange, problem) => {
  const answer = toScimErrorReply(problem);
  reply(exchange, answer);
  return { operation: undefined, protocol: "http", code: answer.status, error: problem };
};
