import type { JSX } from "preact";
import type { Group } from "../../../../gen/console/gatehouse/v1/group_pb.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { TextField } from "../../ui/form/fields.tsx";
import type { Form } from "../../ui/form/use-form.ts";
import { groupTexts } from "./texts.ts";

/** The settings of a group as fields hold them. */
export type GroupValues = Readonly<{ name: string; description: string; externalId: string }>;

/** Returns the settings of a group, or those of a new one. */
export function toGroupValues(group?: Group): GroupValues {
  const { name = "", description = "", externalId = "" } = group ?? {};
  return { name, description, externalId };
}

/** Fields for the settings of a group. */
export function GroupFields({
  form,
  hasFocus = false,
}: {
  readonly form: Form<GroupValues>;
  readonly hasFocus?: boolean;
}): JSX.Element {
  const texts = useTexts(groupTexts);
  return (
    <>
      <TextField form={form} name="name" label={texts.name} hint={texts.nameHint} hasFocus={hasFocus} />
      <TextField form={form} name="description" label={texts.description} />
      <TextField form={form} name="externalId" label={texts.externalId} hint={texts.externalIdHint} />
    </>
  );
}
