import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { JSX } from "preact";
import type { Event } from "../../../../gen/console/gatehouse/v1/event_pb.ts";
import { Link } from "../../routing/navigation.tsx";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { Button } from "../button.tsx";
import { Code } from "../copy-button.tsx";
import { Dialog } from "../dialog.tsx";
import { Facts } from "../facts.tsx";
import type { Names } from "../names/use-names.ts";
import { uiTexts } from "../texts.ts";
import { placeOfEvents, placeOfObject } from "./event-place.ts";
import { aggregateWords } from "./aggregate-words.ts";
import { eventWords, wordFor } from "./event-words.ts";
import { OrganizationName, PersonName } from "./person-name.tsx";
import { eventTexts } from "./texts.ts";

/** Props of the dialog of an event. */
export interface EventDialogProps {
  readonly event: Event;
  readonly names: Names;
  readonly onClose: () => void;
}

/** Everything that is known of an event, with its data as it was recorded. */
export function EventDialog({ event, names, onClose }: EventDialogProps): JSX.Element {
  const texts = useTexts(eventTexts);
  const shared = useTexts(uiTexts);
  const words = useTexts(eventWords);
  const kinds = useTexts(aggregateWords);
  const place = placeOfObject(event);
  const data = JSON.stringify(event.payload ?? {}, undefined, 2);
  const { aggregateType, aggregateId, resourceOwner } = event;
  return (
    <Dialog title={wordFor(words, event.eventType)} onClose={onClose} isWide>
      <Facts
        facts={[
          { label: texts.time, value: <Instant event={event} /> },
          { label: texts.who, value: <PersonName id={event.editor} names={names} isLink /> },
          {
            label: wordFor(kinds, aggregateType),
            value: <Code text={aggregateId} label={wordFor(kinds, aggregateType)} />,
          },
          {
            label: texts.organization,
            value:
              aggregateType === "signing_key" ? "" : <OrganizationName id={resourceOwner} names={names} />,
          },
          { label: texts.address, value: event.remoteAddress },
          { label: texts.type, value: <code>{event.eventType}</code> },
          {
            label: texts.request,
            value: event.requestId === "" ? "" : <Code text={event.requestId} label={texts.request} />,
          },
          { label: texts.sequence, value: <code>{String(event.sequence)}</code> },
          { label: texts.version, value: String(event.version) },
        ]}
      />
      <h3>{texts.data}</h3>
      {data === "{}" ? (
        <p class="hint">{texts.noData}</p>
      ) : (
        // Long data scrolls, so the keyboard must get there.
        <pre class="data" tabIndex={0} aria-label={texts.data}>
          {data}
        </pre>
      )}
      <p class="actions">
        {place !== undefined && <Link to={place}>{texts.open}</Link>}
        <Link to={placeOfEvents(event)}>{texts.allOfObject}</Link>
      </p>
      <div class="actions">
        <Button onClick={onClose}>{shared.close}</Button>
      </div>
    </Dialog>
  );
}

/** With all digits, because the order of events may depend on them. */
function Instant({ event: { creationDate } }: { readonly event: Event }): JSX.Element {
  const { exactDate } = useFormats();
  return (
    <>
      {exactDate(creationDate)}
      <br />
      <code class="small">{creationDate === undefined ? "" : timestampDate(creationDate).toISOString()}</code>
    </>
  );
}
