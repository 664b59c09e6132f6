import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useClient } from "../../api/api.ts";
import { toFieldError } from "../../api/call-problem.ts";
import {
  AddUserGrantRequestSchema,
  UserGrantService,
} from "../../../../gen/console/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { toPath } from "../../routing/routes.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { LinesField } from "../../ui/form/fields.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { loadAll } from "../../ui/list/list-source.ts";
import { findUser } from "../../ui/names/find-object.ts";
import { isId } from "../../ui/names/named-object.ts";
import { PageFrame } from "../../ui/page-frame.tsx";
import { QueryView } from "../../ui/query-view.tsx";
import { ProjectFields, useMayGive } from "./project-fields.tsx";
import { type GivableProject, useGivableProjects } from "./projects.ts";
import { type HeldGrant, mapSome, mostUsers, planSteps } from "./several.ts";
import { type Plan, PlanView } from "./several-plan.tsx";
import { userGrantTexts } from "./texts.ts";

/** Gives several users roles of a project. The query may name both: `?users=1,2&project=3`. */
export function SeveralUserGrantsPage({ params }: PageProps<"organization">): JSX.Element {
  const texts = useTexts(userGrantTexts);
  const { place } = useNavigation();
  const projects = useGivableProjects();
  const mayGive = useMayGive();
  const query = new URLSearchParams(place.query);
  const given = (query.get("users") ?? "").split(",").filter(isId);
  const [values, setValues] = useState<Values>({
    projectId: query.get("project") ?? "",
    roleKeys: [],
    users: given,
  });
  const [plan, setPlan] = useState<Plan>();
  return (
    <PageFrame
      title={texts.addSeveral}
      lead={texts.bulk.lead}
      parent={{ to: toPath("/orgs/:organization/user-grants", params), title: texts.title }}
    >
      <QueryView query={projects}>
        {(all) =>
          plan === undefined ? (
            <ChoiceForm
              initial={values}
              given={given}
              projects={all.filter(mayGive)}
              onPlan={(next, chosen) => {
                setValues(chosen);
                setPlan(next);
              }}
            />
          ) : (
            <PlanView plan={plan} onBack={() => setPlan(undefined)} />
          )
        }
      </QueryView>
    </PageFrame>
  );
}

type Values = Readonly<{ projectId: string; roleKeys: readonly string[]; users: readonly string[] }>;

function ChoiceForm({
  initial,
  given,
  projects,
  onPlan,
}: {
  readonly initial: Values;
  /** Ids of the users who were chosen elsewhere in the console. */
  readonly given: readonly string[];
  readonly projects: readonly GivableProject[];
  readonly onPlan: (plan: Plan, chosen: Values) => void;
}): JSX.Element {
  const texts = useTexts(userGrantTexts);
  const users = useClient(UserService);
  const readHeld = useReadHeld();
  const form = useForm<Values>({
    request: AddUserGrantRequestSchema,
    initial,
    async submit(values) {
      const { projectId, roleKeys } = values;
      if (values.users.length === 0) throw toFieldError("users", texts.bulk.noUsers);
      if (values.users.length > mostUsers) throw toFieldError("users", texts.bulk.tooMany);
      if (roleKeys.length === 0) throw toFieldError("roleKeys", texts.bulk.noRolesChosen);
      const named = await mapSome(values.users, async (typed) => ({
        typed,
        user: await findUser(users, typed, given),
      }));
      const steps = planSteps(named, await readHeld(projectId), roleKeys);
      const projectGrantId = projects.find(({ id }) => id === projectId)?.grant?.id ?? "";
      onPlan({ projectId, projectGrantId, roleKeys, steps }, values);
    },
  });
  return (
    <FormView form={form} submitText={texts.bulk.check}>
      <ProjectFields form={form} projects={projects} />
      <LinesField
        form={{ ...form, bounds: { ...form.bounds, users: { minItems: 1, maxItems: mostUsers } } }}
        name="users"
        label={texts.bulk.users}
        hint={texts.bulk.usersHint}
        rows={8}
      />
    </FormView>
  );
}

/** Returns a function that reads all grants of the organization for a project. */
function useReadHeld(): (projectId: string) => Promise<readonly HeldGrant[]> {
  const client = useClient(UserGrantService);
  return async (projectId) => {
    const grants = await loadAll(async ({ filters: _none, ...page }) => {
      const answer = await client.listUserGrants({ ...page, projectId });
      return { ...answer, rows: answer.userGrants };
    }, {});
    return grants.map(({ id, userId, roleKeys, details }) => ({
      id,
      userId,
      roleKeys,
      sequence: details?.sequence ?? 0n,
    }));
  };
}
