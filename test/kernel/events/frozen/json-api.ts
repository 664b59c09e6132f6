import type { JsonObject } from "@bufbuild/protobuf";

/** A call by name, so that it can go to a service of any version. The name is that of service and rpc: `ProjectService/GetProject`. */
export interface ApiCall {
  readonly rpc: string;
  readonly request: JsonObject;
  /** The organization that the call acts on. Default: that of the caller. */
  readonly organizationId?: string;
}

/** The JSON calls of a running service, of this version or another. */
export interface JsonApi {
  /** Returns the answer, or undefined when the service does not know the rpc. Throws for any other error. */
  find(call: ApiCall, token?: string): Promise<JsonObject | undefined>;
}

/** Calls the service at the URL, with that token unless a call has its own. */
export function connectTo(url: string, token: string): JsonApi {
  return {
    async find({ rpc, request, organizationId }, as = token) {
      const response = await fetch(`${url}/gatehouse.v1.${rpc}`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          authorization: `Bearer ${as}`,
          ...(organizationId === undefined ? {} : { "x-service-orgid": organizationId }),
        },
        body: JSON.stringify(request),
      });
      const answer = (await response.json()) as JsonObject;
      if (response.ok) return answer;
      const isUnknownRpc = response.status === 501 || (response.status === 404 && !namesResource(answer));
      if (isUnknownRpc) return undefined;
      throw new Error(`${rpc}: ${response.status} ${JSON.stringify(answer)}`);
    },
  };
}

/** A resource that is not found is named in the details; a path that is not served is not. */
function namesResource(answer: JsonObject): boolean {
  return JSON.stringify(answer).includes("google.rpc.ResourceInfo");
}
