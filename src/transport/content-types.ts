import type { FramedType } from "./lanes/framed-body.ts";

const proto = "proto";
/** What nearly all callers send. */
export const commonTypes: ReadonlyMap<string, FramedType | "http"> = new Map<string, FramedType | "http">([
  ["application/grpc", { protocol: "grpc", codec: proto, contentType: "application/grpc" }],
  ["application/grpc+proto", { protocol: "grpc", codec: proto, contentType: "application/grpc+proto" }],
  [
    "application/grpc-web+proto",
    { protocol: "grpc-web", codec: proto, contentType: "application/grpc-web+proto" },
  ],
  ["application/json", "http"],
  ["application/proto", "http"],
]);

/** Returns the protocol with frames that the content type names; undefined when it is none of them. */
export function readFramedType(contentType: string | undefined): FramedType | "refused" | undefined {
  const common = commonTypes.get(contentType ?? "");
  return common === undefined ? parseFramedType(contentType) : common === "http" ? undefined : common;
}

function parseFramedType(contentType: string | undefined): FramedType | "refused" | undefined {
  const type = (contentType ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (!/^application\/(?:grpc|connect)(?:$|[+-])/.test(type)) return undefined;
  const match =
    /^application\/(?:(?<protocol>grpc|grpc-web)(?:\+proto)?|connect\+(?<codec>proto|json))$/.exec(type);
  if (match === null) return "refused";
  const protocol = (match.groups?.["protocol"] ?? "connect") as FramedType["protocol"]; // the pattern has only these
  return { protocol, codec: match.groups?.["codec"] === "json" ? "json" : "proto", contentType: type };
}
