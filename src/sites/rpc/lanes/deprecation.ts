import type { DescMethod } from "@bufbuild/protobuf";

/**
 * Lists the headers of every answer of a method, errors included. For a deprecated method they say since when (RFC 9745; here
 * 2026-01-01T00:00:00Z) and what replaces it.
 */
export function deprecationHeaders(descriptor: DescMethod | undefined): Readonly<Record<string, string>> {
  return descriptor?.deprecated === true ? headers : none;
}

// All deprecated methods made identity providers before there was `/v1/idps`.
const headers = { deprecation: "@1767225600", link: '</v1/idps>; rel="successor-version"' };
const none = {};
