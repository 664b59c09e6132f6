import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { JSX } from "preact";
import { useTexts } from "../../texts/use-texts.ts";
import { aggregateWords } from "../../ui/events/aggregate-words.ts";
import { eventWords, wordFor } from "../../ui/events/event-words.ts";
import { eventTexts } from "../../ui/events/texts.ts";
import { CsvButton } from "../../ui/list/csv-button.tsx";
import { type EventQuery, loadEvents } from "./event-pages.ts";
import { eventPageTexts } from "./texts.ts";

/** A log may have any number of events, and a browser has not. */
const mostRows = 100_000;

/** Downloads the events that the filters let through as a CSV file, the newest first. Users are named by their ids. */
export function EventsCsv({ query }: { readonly query: EventQuery }): JSX.Element {
  const texts = useTexts(eventPageTexts);
  const ofEvents = useTexts(eventTexts);
  const words = useTexts(eventWords);
  const kinds = useTexts(aggregateWords);
  return (
    <CsvButton
      name={texts.title}
      load={loadEvents(query)}
      filters={{}}
      mostRows={mostRows}
      columns={[
        {
          title: ofEvents.time,
          text: ({ creationDate }) =>
            creationDate === undefined ? "" : timestampDate(creationDate).toISOString(),
        },
        { title: ofEvents.what, text: ({ eventType }) => wordFor(words, eventType) },
        { title: ofEvents.who, text: ({ editor }) => editor },
        { title: texts.kind, text: ({ aggregateType }) => wordFor(kinds, aggregateType) },
        { title: texts.objectId, text: ({ aggregateId }) => aggregateId },
        { title: texts.organization, text: ({ resourceOwner }) => resourceOwner },
        { title: ofEvents.address, text: ({ remoteAddress }) => remoteAddress },
        { title: ofEvents.request, text: ({ requestId }) => requestId },
        { title: ofEvents.sequence, text: ({ sequence }) => String(sequence) },
        { title: ofEvents.type, text: ({ eventType }) => eventType },
        { title: ofEvents.data, text: ({ payload }) => JSON.stringify(payload ?? {}) },
      ]}
    />
  );
}
