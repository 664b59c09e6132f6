import type { JSX } from "preact";
import { useClient } from "../../api/api.ts";
import { withKey } from "../../api/call-options.ts";
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
import { FormView } from "../../ui/form/form-view.tsx";
import { ReferenceField } from "../../ui/form/reference-field.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { findUser } from "../../ui/names/find-object.ts";
import { isId } from "../../ui/names/named-object.ts";
import { useNotify } from "../../ui/notices.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { PeriodFields, usePeriodCheck } from "../../ui/period/period-fields.tsx";
import { readPeriodTexts, toPeriodTexts } from "../../ui/period/period.ts";
import { QueryView } from "../../ui/query-view.tsx";
import { ProjectFields, useMayGive } from "./project-fields.tsx";
import { type GivableProject, useGivableProjects } from "./projects.ts";
import { userGrantTexts } from "./texts.ts";

/** Gives a user roles of a project, and goes to the grant. The query may name both: `?user=1&project=2`. */
export function AddUserGrantPage({ params }: PageProps<"organization">): JSX.Element {
  const texts = useTexts(userGrantTexts);
  const projects = useGivableProjects();
  const mayGive = useMayGive();
  return (
    <PageFrame
      title={texts.add}
      parent={{ to: toPath("/orgs/:organization/user-grants", params), title: texts.title }}
    >
      <QueryView query={projects}>
        {(all) => <AddForm organization={params.organization} projects={all.filter(mayGive)} />}
      </QueryView>
    </PageFrame>
  );
}

function AddForm({
  organization,
  projects,
}: {
  readonly organization: string;
  readonly projects: readonly GivableProject[];
}): JSX.Element {
  const texts = useTexts(userGrantTexts);
  const { place, go } = useNavigation();
  const notify = useNotify();
  const client = useClient(UserGrantService);
  const users = useClient(UserService);
  const query = new URLSearchParams(place.query);
  const wanted = query.get("project") ?? "";
  // An id: a link cannot make a name out of it.
  const given = [query.get("user") ?? ""].filter(isId);
  const find = (text: string) => findUser(users, text, given);
  const none: readonly string[] = [];
  const checkPeriod = usePeriodCheck();
  const form = useForm({
    request: AddUserGrantRequestSchema,
    initial: {
      userId: given[0] ?? "",
      projectId: projects.some(({ id }) => id === wanted) ? wanted : "",
      roleKeys: none,
      ...toPeriodTexts({}),
    },
    check: (values) => checkPeriod(values),
    async submit({ userId: typed, projectId, roleKeys, ...period }, key) {
      const user = await find(typed);
      if (user === undefined) throw toFieldError("userId", texts.userMissing);
      const projectGrantId = projects.find(({ id }) => id === projectId)?.grant?.id ?? "";
      const { userGrantId } = await client.addUserGrant(
        {
          userId: user.id,
          projectId,
          projectGrantId,
          roleKeys: [...roleKeys],
          ...readPeriodTexts(period),
        },
        withKey(key),
      );
      notify(texts.added(user.title));
      const ids = { organization, user: user.id, grant: userGrantId };
      go(toPath("/orgs/:organization/user-grants/:user/:grant", ids), { replaces: true });
    },
  });
  return (
    <FormView
      form={form}
      submitText={texts.add}
      onCancel={() => go(toPath("/orgs/:organization/user-grants", { organization }))}
    >
      <ReferenceField
        form={form}
        name="userId"
        label={texts.user}
        hint={texts.userHint}
        find={find}
        hasFocus
      />
      <ProjectFields form={form} projects={projects} />
      <PeriodFields form={form} />
    </FormView>
  );
}
