import type { JSX } from "preact";
import {
  type ClaimMapping,
  ClaimMappingSchema,
  ClaimSource,
  ClaimTarget,
  ClaimType,
  ProfileField,
} from "../../../../gen/console/gatehouse/v1/claim_mapping_pb.ts";
import { toEnum } from "../../api/enums.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ChecksField, type Option, SelectField } from "../../ui/form/choice-fields.tsx";
import { TextField } from "../../ui/form/fields.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { claimTexts } from "./texts.ts";

/** A mapping as a call takes it. */
export type MappingInit = Omit<ClaimMapping, "$typeName" | "$unknown">;

const usualTargets: readonly ClaimTarget[] = [ClaimTarget.ID_TOKEN, ClaimTarget.USERINFO];

/** Asks for a mapping: a new one, or another form of one that is there. */
export function ClaimDialog({
  mapping,
  onClose,
  save,
}: {
  readonly mapping: ClaimMapping | undefined;
  readonly onClose: () => void;
  readonly save: (mapping: MappingInit) => Promise<void>;
}): JSX.Element {
  const texts = useTexts(claimTexts);
  const form = useForm({
    request: ClaimMappingSchema,
    of: mapping?.name ?? "",
    initial: {
      name: mapping?.name ?? "",
      source: String(mapping?.source ?? ClaimSource.USER_METADATA),
      key: mapping?.key ?? "",
      profileField: String(mapping?.profileField ?? ProfileField.UNSPECIFIED),
      constant: mapping?.constant ?? "",
      type: String(mapping?.type ?? ClaimType.UNSPECIFIED),
      targets: (mapping?.targets ?? usualTargets).map(String) as readonly string[],
      scope: mapping?.scope ?? "",
    },
    async submit({ source, profileField, type, targets, ...others }) {
      await save({
        ...others,
        source: toEnum(ClaimSource, source),
        profileField: toEnum(ProfileField, profileField),
        type: toEnum(ClaimType, type),
        targets: targets.map((target) => toEnum(ClaimTarget, target)),
      });
    },
  });
  const { source } = form.values;
  const isOf = (...sources: readonly ClaimSource[]): boolean =>
    sources.some((each) => String(each) === source);
  return (
    <Dialog title={mapping === undefined ? texts.add : texts.changeTitle(mapping.name)} onClose={onClose}>
      <FormView
        form={form}
        isChange={mapping !== undefined}
        submitText={mapping === undefined ? texts.add : undefined}
        onCancel={onClose}
      >
        <TextField form={form} name="name" label={texts.name} hint={texts.nameHint} hasFocus />
        <SelectField form={form} name="source" label={texts.source} options={toOptions(texts.sources)} />
        {isOf(ClaimSource.USER_METADATA, ClaimSource.ORGANIZATION_METADATA) && (
          <TextField form={form} name="key" label={texts.key} />
        )}
        {isOf(ClaimSource.PROFILE_FIELD) && (
          <SelectField
            form={form}
            name="profileField"
            label={texts.field}
            options={toOptions(texts.fields)}
          />
        )}
        {isOf(ClaimSource.CONSTANT) && <TextField form={form} name="constant" label={texts.constant} />}
        <SelectField form={form} name="type" label={texts.type} options={toOptions(texts.types)} />
        <ChecksField
          form={form}
          name="targets"
          label={texts.targets}
          options={toOptions(texts.targetNames)}
        />
        <TextField form={form} name="scope" label={texts.scope} hint={texts.scopeHint} />
      </FormView>
    </Dialog>
  );
}

/** Offers the values of an enum by their numbers; those without a text are left out. */
function toOptions(labels: readonly string[]): readonly Option[] {
  return labels.flatMap((label, index) => (label === "" ? [] : [{ value: String(index), label }]));
}
