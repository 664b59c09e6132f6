import { create, type JsonObject, toJson } from "@bufbuild/protobuf";
import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { type ErrorStatus, type LaneClient, watched } from "../../support/clients.ts";

/** Returns a client of the JSON lane on one connection: most of the time of `fetch` is spent in its streams. */
export function createJsonClient(url: string): LaneClient {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  return {
    lane: "json",
    call: watched(async (method, request, options = {}) => {
      const body = JSON.stringify(toJson(method.input, create(method.input, request)));
      const headers = {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
        ...options.headers,
      };
      const path = `${url}/${method.parent.typeName}/${method.name}`;
      const sent = http.request(path, { method: "POST", agent, headers });
      sent.end(body);
      const [response] = (await once(sent, "response")) as [IncomingMessage]; // the arguments of "response"
      const json = JSON.parse(await text(response)) as JsonObject; // both bodies are objects
      const httpStatus = response.statusCode ?? 0;
      const received = new Headers({ "x-request-id": String(response.headers["x-request-id"]) });
      if (httpStatus === 200) return { kind: "answer", json, headers: received };
      return { kind: "error", status: json as unknown as ErrorStatus, headers: received, httpStatus };
    }),
    close: () => agent.destroy(),
  };
}
