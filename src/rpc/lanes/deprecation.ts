import type { DescMethod } from "@bufbuild/protobuf";

/**
 * Returns the headers of every answer of the method, including errors: for a deprecated method the date of its
 * deprecation (RFC 9745, the instant 2026-01-01T00:00:00Z) and its successor.
 */
export function deprecationHeaders(descriptor: DescMethod | undefined): Readonly<Record<string, string>> {
  return descriptor?.deprecated === true ? headers : none;
}

// All deprecated methods are the ones that made identity providers before `/v1/idps`.
const headers = { deprecation: "@1767225600", link: '</v1/idps>; rel="successor-version"' };
const none = {};
