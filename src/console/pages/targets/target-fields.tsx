import type { JSX } from "preact";
import type { Target } from "../../../../gen/console/gatehouse/v1/target_pb.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { LinesField, TextField } from "../../ui/form/fields.tsx";
import type { Form } from "../../ui/form/use-form.ts";
import { targetTexts } from "./texts.ts";

/** The settings of a target as fields hold them. */
export type TargetValues = Readonly<{
  name: string;
  url: string;
  eventTypes: readonly string[];
  signingSecret: string;
}>;

/** Returns the settings of a target, or those of a new one. */
export function toTargetValues(target?: Target): TargetValues {
  const { name = "", url = "", eventTypes = [] } = target ?? {};
  return { name, url, eventTypes, signingSecret: "" };
}

/** Fields for the settings of a target. */
export function TargetFields({
  form,
  hasFocus = false,
}: {
  readonly form: Form<TargetValues>;
  readonly hasFocus?: boolean;
}): JSX.Element {
  const texts = useTexts(targetTexts);
  return (
    <>
      <TextField form={form} name="name" label={texts.name} hint={texts.nameHint} hasFocus={hasFocus} />
      <TextField form={form} name="url" label={texts.url} hint={texts.urlHint} />
      <LinesField form={form} name="eventTypes" label={texts.eventTypes} hint={texts.eventTypesHint} />
    </>
  );
}
