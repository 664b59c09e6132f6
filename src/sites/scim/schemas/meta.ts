import type { Details } from "../../../kernel/base/details.ts";
import type { ResourceType } from "./attribute.ts";
import { plainTextOf, type ScimResource } from "./resource.ts";

/** Adds `meta` (RFC 7643 §3.1). The version is weak: it says that the same is shown. */
export function withMeta(
  { name, endpoint }: ResourceType,
  resource: ScimResource,
  {
    details,
    baseUrl,
    version,
  }: { readonly details: Details; readonly baseUrl: string; readonly version: string },
): ScimResource {
  const { creationDate, sequence } = details;
  return {
    ...resource,
    meta: {
      resourceType: name,
      created: toTime(creationDate),
      lastModified: toTime(sequence),
      location: `${baseUrl}/${endpoint}/${plainTextOf(resource["id"]) ?? ""}`,
      version: `W/"${version}"`,
    },
  };
}

function toTime(micros: number): string {
  return new Date(Math.floor(micros / 1000)).toISOString();
}
