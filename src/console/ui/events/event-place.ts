import type { Event } from "../../../../gen/console/gatehouse/v1/event_pb.ts";
import { toPath } from "../../routing/routes.ts";

/** Returns the page of the object that an event is about; undefined for kinds without a page of their own, and after a removal. */
export function placeOfObject(event: Event): string | undefined {
  const { aggregateType, aggregateId, resourceOwner: organization, eventType } = event;
  if (eventType === `${aggregateType}.removed`) return undefined;
  switch (aggregateType) {
    case "organization":
      return toPath("/orgs/:organization", { organization: aggregateId });
    case "user":
      return toPath("/orgs/:organization/users/:user", { organization, user: aggregateId });
    case "project":
      return toPath("/orgs/:organization/projects/:project", { organization, project: aggregateId });
    default:
      return undefined;
  }
}

/** Returns the list of the events of an object, in its organization or, for objects of the instance, in all. */
export function placeOfEvents({ aggregateType, aggregateId, resourceOwner }: Event): string {
  const isOfInstance = aggregateType === "signing_key";
  const path = isOfInstance
    ? "/events"
    : toPath("/orgs/:organization/events", { organization: resourceOwner });
  return `${path}?${new URLSearchParams({ id: aggregateId, renewals: "shown" }).toString()}`;
}
