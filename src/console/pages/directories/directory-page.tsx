import type { JSX } from "preact";
import { useCan, useClient } from "../../api/api.ts";
import { UserFrame } from "../../frames/user-frame.tsx";
import type { Group } from "../../../../gen/console/gatehouse/v1/group_pb.ts";
import { GroupService } from "../../../../gen/console/gatehouse/v1/group_service_pb.ts";
import type { User } from "../../../../gen/console/gatehouse/v1/user_pb.ts";
import { UserService } from "../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { Link } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { toPath } from "../../routing/routes.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { Code } from "../../ui/copy-button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { List } from "../../ui/list/list.tsx";
import { StateMark, toObjectState } from "../../ui/state-mark.tsx";
import { uiTexts } from "../../ui/texts.ts";
import { nameOfUser } from "../../ui/user-name.ts";
import { directoryTexts } from "./texts.ts";

type Params = PageProps<"organization" | "user">["params"];

/** Shows how a directory is connected as a service user, and what has come by it. */
export function DirectoryPage({ params }: PageProps<"organization" | "user">): JSX.Element {
  const can = useCan();
  return (
    <UserFrame params={params}>
      {(user) => (
        <>
          <Connection params={params} user={user} />
          <UsersPanel params={params} />
          {can("group.read") && <GroupsPanel params={params} />}
        </>
      )}
    </UserFrame>
  );
}

function Connection({ params, user }: { readonly params: Params; readonly user: User }): JSX.Element {
  const texts = useTexts(directoryTexts);
  const isTrusted = user.type.case === "service" && user.type.value.trustMail;
  const url = `${location.origin}/scim/v2/${params.organization}`;
  const to = (page: "" | "/tokens" | "/memberships"): string =>
    `${toPath("/orgs/:organization/users/:user", params)}${page}`;
  return (
    <section class="panel">
      <h2>{texts.title}</h2>
      <p class="hint">{texts.lead}</p>
      <Facts
        facts={[
          { label: texts.url, value: <Code text={url} label={texts.url} /> },
          { label: texts.rights, value: <Link to={to("/memberships")}>{texts.rightsText}</Link> },
          { label: texts.token, value: <Link to={to("/tokens")}>{texts.tokenText}</Link> },
          {
            label: texts.trust,
            value: (
              <>
                {isTrusted ? texts.trusted : texts.untrusted}. <Link to={to("")}>{texts.trustChange}</Link>
              </>
            ),
          },
        ]}
      />
      <Steps title={texts.entra} steps={texts.entraSteps} />
      <Steps title={texts.okta} steps={texts.oktaSteps} />
    </section>
  );
}

function Steps({ title, steps }: { readonly title: string; readonly steps: readonly string[] }): JSX.Element {
  return (
    <>
      <h3>{title}</h3>
      <ol class="steps">
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </>
  );
}

function UsersPanel({ params }: { readonly params: Params }): JSX.Element {
  const texts = useTexts(directoryTexts);
  const shared = useTexts(uiTexts);
  const client = useClient(UserService);
  return (
    <section class="panel">
      <h2>{texts.users}</h2>
      <p class="hint">{texts.usersLead}</p>
      <List<User>
        name={texts.users}
        tag="users"
        load={async ({ filters: _filters, ...page }) => {
          const metadataKey = `scim.externalId.${params.user}`;
          const answer = await client.listUsers({ ...page, metadataKey });
          return { ...answer, rows: answer.users };
        }}
        inputs={[client, params.user]}
        columns={[
          { title: texts.name, text: nameOfUser },
          { title: texts.username, text: ({ username }) => username, isMinor: true },
          {
            title: texts.state,
            text: ({ state }) => shared[toObjectState(state)],
            render: ({ state }) => <StateMark state={state} />,
          },
        ]}
        idOf={({ id }) => id}
        linkOf={({ id }) => toPath("/orgs/:organization/users/:user", { ...params, user: id })}
        empty={{ title: texts.noUsersTitle, text: texts.noUsersText }}
      />
    </section>
  );
}

function GroupsPanel({ params }: { readonly params: Params }): JSX.Element {
  const texts = useTexts(directoryTexts);
  const client = useClient(GroupService);
  return (
    <section class="panel">
      <h2>{texts.groups}</h2>
      <p class="hint">{texts.groupsLead}</p>
      <List<Group>
        name={texts.groups}
        tag="groups"
        load={async ({ filters: _filters, ...page }) => {
          const answer = await client.listGroups({ ...page, sourceUserId: params.user });
          return { ...answer, rows: answer.groups };
        }}
        inputs={[client, params.user]}
        columns={[
          { title: texts.name, text: ({ name }) => name },
          { title: texts.externalId, text: ({ externalId }) => externalId, isMinor: true },
        ]}
        idOf={({ id }) => id}
        linkOf={({ id }) => toPath("/orgs/:organization/groups/:group", { ...params, group: id })}
        empty={{ title: texts.noGroupsTitle, text: texts.noGroupsText }}
      />
    </section>
  );
}
