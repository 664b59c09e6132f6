import type { JSX } from "preact";
import { toEnum } from "../../api/enums.ts";
import { type Project, PrivateLabelingSetting } from "../../gen/gatehouse/v1/project_pb.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { SelectField } from "../../ui/form/choice-fields.tsx";
import { CheckField, TextField } from "../../ui/form/fields.tsx";
import type { Form } from "../../ui/form/use-form.ts";
import { projectTexts } from "./texts.ts";

/** The settings of a project, as its forms have them. A type, because a form takes no interface. */
export type ProjectSettings = {
  readonly name: string;
  readonly projectRoleAssertion: boolean;
  readonly projectRoleCheck: boolean;
  readonly hasProjectCheck: boolean;
  readonly privateLabelingSetting: string;
};

/** Returns the settings of a project; undefined: those of a new one. */
export function toProjectSettings(project?: Project): ProjectSettings {
  return {
    name: project?.name ?? "",
    projectRoleAssertion: project?.projectRoleAssertion ?? false,
    projectRoleCheck: project?.projectRoleCheck ?? false,
    hasProjectCheck: project?.hasProjectCheck ?? false,
    privateLabelingSetting: String(project?.privateLabelingSetting ?? PrivateLabelingSetting.UNSPECIFIED),
  };
}

/** Makes the fields of a request from the settings. */
export function fromProjectSettings(settings: ProjectSettings): Omit<
  ProjectSettings,
  "privateLabelingSetting"
> & {
  readonly privateLabelingSetting: PrivateLabelingSetting;
} {
  return {
    ...settings,
    privateLabelingSetting: toEnum(PrivateLabelingSetting, settings.privateLabelingSetting),
  };
}

/** The fields of a project's settings. */
export function SettingsFields({
  form,
  hasFocus = false,
}: {
  readonly form: Form<ProjectSettings>;
  readonly hasFocus?: boolean;
}): JSX.Element {
  const texts = useTexts(projectTexts);
  const { UNSPECIFIED, ENFORCE_PROJECT_RESOURCE_OWNER_POLICY, ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY } =
    PrivateLabelingSetting;
  return (
    <>
      <TextField form={form} name="name" label={texts.name} hint={texts.nameHint} hasFocus={hasFocus} />
      <CheckField
        form={form}
        name="projectRoleAssertion"
        label={texts.roleAssertion}
        hint={texts.roleAssertionHint}
      />
      <CheckField form={form} name="projectRoleCheck" label={texts.roleCheck} hint={texts.roleCheckHint} />
      <CheckField
        form={form}
        name="hasProjectCheck"
        label={texts.projectCheck}
        hint={texts.projectCheckHint}
      />
      <SelectField
        form={form}
        name="privateLabelingSetting"
        label={texts.labeling}
        options={[
          { value: String(UNSPECIFIED), label: texts.labelingInstance },
          { value: String(ENFORCE_PROJECT_RESOURCE_OWNER_POLICY), label: texts.labelingOwner },
          { value: String(ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY), label: texts.labelingUser },
        ]}
      />
    </>
  );
}
