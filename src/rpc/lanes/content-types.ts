import type { FramedType } from "./framed-body.ts";

const framedTypes: ReadonlyMap<string, FramedType> = new Map(
  (
    [
      ["application/grpc", "grpc", "proto", false],
      ["application/grpc+proto", "grpc", "proto", false],
      ["application/grpc-web", "grpc-web", "proto", false],
      ["application/grpc-web+proto", "grpc-web", "proto", false],
      ["application/grpc-web-text", "grpc-web", "proto", true],
      ["application/grpc-web-text+proto", "grpc-web", "proto", true],
      ["application/connect+proto", "connect", "proto", false],
      ["application/connect+json", "connect", "json", false],
    ] as const
  ).map(([contentType, protocol, codec, isText]) => [contentType, { protocol, codec, isText, contentType }]),
);

/** What nearly all callers of unary methods send. */
export const commonTypes: ReadonlyMap<string, FramedType | "http"> = new Map<string, FramedType | "http">([
  ...[...framedTypes].filter(([, { protocol }]) => protocol !== "connect"),
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
  return framedTypes.get(type) ?? "refused";
}
