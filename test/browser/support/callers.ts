import type { JsonObject } from "@bufbuild/protobuf";
import type { DemoClient } from "../../demo/clients.ts";
import type { Outcome } from "../../support/clients.ts";
import type { TestService } from "../../support/service.ts";
import type { PageCall } from "../page/protocol.ts";
import type { Visit } from "./visit.ts";

/** Calls an rpc through one client of the page. `token` is that of the administrator, another, or none when empty. */
export type Caller = (
  service: string,
  rpc: string,
  request: JsonObject,
  options?: { readonly token?: string; readonly headers?: Readonly<Record<string, string>> },
) => Promise<Outcome>;

/** Returns what calls through that client of the page. */
export function createPageCaller(
  visit: Visit,
  service: Pick<TestService, "url" | "adminToken">,
  client: PageCall["client"],
): Caller {
  return async (name, rpc, request, { token = service.adminToken, headers = {} } = {}) =>
    await visit.call({
      url: service.url,
      client,
      service: name,
      rpc,
      request,
      headers: { ...(token === "" ? {} : { authorization: `Bearer ${token}` }), ...headers },
    });
}

/** Returns the client for the operations of the demo. Clients of the same `name` would make the same objects. */
export function toDemoClient(name: string, caller: Caller): DemoClient {
  return {
    contentType: name,
    async call(service, rpc, request) {
      const outcome = await caller(service, rpc, request as JsonObject); // the demo sends protobuf JSON
      return outcome.kind === "answer"
        ? { ok: true, status: "OK", body: outcome.json }
        : { ok: false, status: JSON.stringify(outcome.status), body: {} };
    },
    close: () => undefined,
  };
}
