import type { ObjectDetails } from "../../../gen/console/gatehouse/v1/object_pb.ts";

/** What an item of a batch says so that it is done only if the object is still the one with these details, as `ifUnchanged` of a call. */
export function itemIfUnchanged(details: ObjectDetails | undefined): { readonly ifMatch?: string } {
  return details === undefined ? {} : { ifMatch: `"${details.sequence}"` };
}
