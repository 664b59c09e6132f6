import type { JSX } from "preact";
import type { Event } from "../../../../gen/console/gatehouse/v1/event_pb.ts";
import { Link } from "../../routing/navigation.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { placeOfEvents, placeOfObject } from "../../ui/events/event-place.ts";
import { aggregateWords } from "../../ui/events/aggregate-words.ts";
import { wordFor } from "../../ui/events/event-words.ts";
import { ApplicationName, PersonName } from "../../ui/events/person-name.tsx";
import type { Names } from "../../ui/names/use-names.ts";

/** What an event is about: the application and the user by their names, and any other object by its kind and id. */
export function EventSubject({
  event,
  names,
}: {
  readonly event: Event;
  readonly names: Names;
}): JSX.Element {
  const kinds = useTexts(aggregateWords);
  const { aggregateType, aggregateId } = event;
  const application = idIn(event, "application");
  const user = idIn(event, "user");
  return (
    <>
      {application === undefined && user === undefined && (
        <>
          {wordFor(kinds, aggregateType)}{" "}
          <Link to={placeOfObject(event) ?? placeOfEvents(event)}>{aggregateId}</Link>
        </>
      )}
      {application !== undefined && (
        <>
          {kinds.application} <ApplicationName id={application} names={names} />
        </>
      )}
      {application !== undefined && user !== undefined && " · "}
      {user !== undefined && (
        <>
          {kinds.user} <PersonName id={user} names={names} isLink />
        </>
      )}
    </>
  );
}

function idIn(
  { aggregateType, aggregateId, payload }: Event,
  kind: "application" | "user",
): string | undefined {
  const id = aggregateType === kind ? aggregateId : payload?.[`${kind}_id`];
  return typeof id === "string" && id !== "" ? id : undefined;
}
