// The script of the test page. `support/bundle.ts` makes it one file for the browser and hands over all services.
import type { DescMethod, DescMethodServerStreaming, DescMethodUnary, DescService } from "@bufbuild/protobuf";
import { callByConnectWeb } from "./connect-web.ts";
import { callByGrpcWeb, streamByGrpcWeb } from "./grpc-web.ts";
import type { PageCall, PageFunctions, PageRequest, PageResponse } from "./protocol.ts";
import { createCredential } from "./webauthn.ts";

/** Puts what the test calls into the page. `modules` are those of the generated code that hold services. */
export function startPage(modules: readonly Readonly<Record<string, unknown>>[]): void {
  const services = modules.flatMap((module) => Object.values(module).filter(isService));
  const functions: PageFunctions = {
    call: (call) => callBy(methodOf(services, call, isUnary), call),
    stream: (stream) => streamByGrpcWeb(methodOf(services, stream, isServerStreaming), stream),
    request,
    createCredential,
  };
  Object.assign(globalThis, { gatehouse: functions });
}

function callBy(method: DescMethodUnary, call: PageCall) {
  switch (call.client) {
    case "grpc-web":
      return callByGrpcWeb(method, call, "binary");
    case "grpc-web in text":
      return callByGrpcWeb(method, call, "text");
    case "connect-web as grpc-web":
      return callByConnectWeb(method, call, "grpc-web");
    case "connect-web as connect json":
      return callByConnectWeb(method, call, "connect json");
    case "connect-web as connect proto":
      return callByConnectWeb(method, call, "connect proto");
  }
}

async function request(input: PageRequest): Promise<PageResponse> {
  const { url, verb, ...init } = input;
  try {
    const response = await fetch(url, { method: verb, ...init });
    return {
      kind: "answer",
      httpStatus: response.status,
      headers: Object.fromEntries(response.headers),
      text: await response.text(),
    };
  } catch (error) {
    return { kind: "refused", error: error instanceof Error ? error.name : String(error) };
  }
}

function methodOf<M extends DescMethod>(
  services: readonly DescService[],
  { service, rpc }: Pick<PageCall, "service" | "rpc">,
  isWanted: (method: DescMethod) => method is M,
): M {
  const found = services.find(({ typeName }) => typeName === service);
  const method = found?.methods.filter(isWanted).find(({ name }) => name === rpc);
  if (method === undefined) throw new Error(`the page knows no ${service}/${rpc}`);
  return method;
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === "unary";
}

function isServerStreaming(method: DescMethod): method is DescMethodServerStreaming {
  return method.methodKind === "server_streaming";
}

function isService(value: unknown): value is DescService {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "service";
}
