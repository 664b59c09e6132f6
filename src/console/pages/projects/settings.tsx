import type { JSX } from "preact";
import { PrivateLabelingSetting, type Project } from "../../../../gen/console/gatehouse/v1/project_pb.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { Facts } from "../../ui/facts.tsx";
import { SelectField } from "../../ui/form/choice-fields.tsx";
import { CheckField, TextField } from "../../ui/form/fields.tsx";
import type { Form } from "../../ui/form/use-form.ts";
import { uiTexts } from "../../ui/texts.ts";
import type { ProjectSettings } from "./settings-values.ts";
import { projectTexts } from "./texts.ts";

/** The settings of a project, for users that may change them. */
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

/** The settings of a project, for users that may only read them. */
export function ProjectFacts({ project }: { readonly project: Project }): JSX.Element {
  const texts = useTexts(projectTexts);
  const shared = useTexts(uiTexts);
  const show = (isOn: boolean): string => (isOn ? shared.yes : shared.no);
  return (
    <Facts
      facts={[
        { label: texts.roleAssertion, value: show(project.projectRoleAssertion) },
        { label: texts.roleCheck, value: show(project.projectRoleCheck) },
        { label: texts.projectCheck, value: show(project.hasProjectCheck) },
        {
          label: texts.labeling,
          value: [texts.labelingInstance, texts.labelingOwner, texts.labelingUser][
            project.privateLabelingSetting
          ],
        },
      ]}
    />
  );
}
