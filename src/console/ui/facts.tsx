import type { ComponentChildren, JSX } from "preact";
import type { ObjectDetails } from "../../../gen/console/gatehouse/v1/object_pb.ts";
import { useFormats, useTexts } from "../texts/use-texts.ts";
import { Code } from "./copy-button.tsx";
import { uiTexts } from "./texts.ts";

/** Facts about an object, each with its name. Facts without a value are left out. */
export function Facts({
  facts,
}: {
  readonly facts: readonly { readonly label: string; readonly value: ComponentChildren }[];
}): JSX.Element {
  return (
    <dl class="facts">
      {facts
        .filter(({ value }) => value !== undefined && value !== "")
        .map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** What every object has: its id, and when it was created and changed. `more` stands before. */
export function ObjectFacts({
  id,
  details,
  more = [],
}: {
  readonly id: string;
  readonly details: ObjectDetails | undefined;
  readonly more?: readonly { readonly label: string; readonly value: ComponentChildren }[];
}): JSX.Element {
  const texts = useTexts(uiTexts);
  const { date } = useFormats();
  return (
    <Facts
      facts={[
        ...more,
        { label: texts.id, value: <Code text={id} label={texts.id} /> },
        { label: texts.created, value: date(details?.creationDate) },
        { label: texts.changed, value: date(details?.changeDate) },
      ]}
    />
  );
}
