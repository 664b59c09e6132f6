import { contentTypeUnsupported } from "../../../kernel/http/errors/refusals.ts";
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

/** The content types that nearly all callers of unary methods send. */
export const commonTypes: ReadonlyMap<string, FramedType | "http"> = new Map<string, FramedType | "http">([
  ...[...framedTypes].filter(([, { protocol }]) => protocol !== "connect"),
  ["application/json", "http"],
  ["application/proto", "http"],
]);

/**
 * Parses the content type of a framed protocol; undefined for any other content type. Raises CONTENT_TYPE_UNSUPPORTED
 * for one that is not served.
 */
export function readFramedType(contentType: string | undefined): FramedType | undefined {
  const type = parseFramedType(contentType);
  if (type !== "refused") return type;
  throw contentTypeUnsupported(
    "use binary protobuf: application/grpc, application/grpc-web or application/grpc-web-text, each also with +proto",
  );
}

/** Does the same without raising: `refused` stands for a protocol with frames that is not served. */
export function parseFramedType(contentType = ""): FramedType | "refused" | undefined {
  const common = commonTypes.get(contentType);
  if (common !== undefined) return common === "http" ? undefined : common;
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (!/^application\/(?:grpc|connect)(?:$|[+-])/.test(type)) return undefined;
  return framedTypes.get(type) ?? "refused";
}
