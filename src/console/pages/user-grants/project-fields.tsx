import type { JSX } from "preact";
import { useCan } from "../../api/api.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { ChecksField, SelectField } from "../../ui/form/choice-fields.tsx";
import type { Form, FormValues } from "../../ui/form/use-form.ts";
import { QueryView } from "../../ui/query-view.tsx";
import { type GivableProject, useGivableRoles } from "./projects.ts";
import { userGrantTexts } from "./texts.ts";

/** The values of a form that gives roles of a project. */
export type ProjectValues = Readonly<{ projectId: string; roleKeys: readonly string[] }>;

/** Returns a function that says whether the user of the console may give roles of a project. */
export function useMayGive(): (project: GivableProject) => boolean {
  const can = useCan();
  return ({ id, grant }) => can("user.grant.write", { project: id, projectGrant: grant?.id });
}

/** Fields that choose a project and some of its roles. */
export function ProjectFields<Values extends ProjectValues & FormValues>({
  form,
  projects,
}: {
  readonly form: Form<Values>;
  readonly projects: readonly GivableProject[];
}): JSX.Element {
  const texts = useTexts(userGrantTexts);
  // The fields know only the values that every such form has.
  const own = form as unknown as Form<ProjectValues>;
  const project = projects.find(({ id }) => id === own.values.projectId);
  const roles = useGivableRoles(project);
  return (
    <>
      <SelectField
        form={{
          ...own,
          // The roles of one project are not those of another.
          set: (name, value) => {
            own.set(name, value);
            own.set("roleKeys", []);
          },
        }}
        name="projectId"
        label={texts.project}
        hint={projects.length === 0 ? texts.noProjects : texts.projectHint}
        options={[
          { value: "", label: texts.chooseProject },
          ...projects.map(({ id, name, grant }) => ({
            value: id,
            label: grant === undefined ? name : texts.grantedProject(name),
          })),
        ]}
      />
      {project !== undefined && (
        <QueryView query={roles}>
          {(options) => (
            <ChecksField
              form={own}
              name="roleKeys"
              label={texts.roles}
              hint={options.length === 0 ? texts.noRoles : texts.rolesHint}
              options={options}
            />
          )}
        </QueryView>
      )}
    </>
  );
}
