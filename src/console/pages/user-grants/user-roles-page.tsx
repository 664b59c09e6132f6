import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useCan, useClient } from "../../api/api.ts";
import { useQuery } from "../../api/use-query.ts";
import { UserFrame } from "../../frames/user-frame.tsx";
import { UserGrantService } from "../../../../gen/console/gatehouse/v1/user_grant_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { toPath } from "../../routing/routes.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { Button } from "../../ui/button.tsx";
import { List } from "../../ui/list/list.tsx";
import type { NamedObject } from "../../ui/names/named-object.ts";
import { useNames } from "../../ui/names/use-names.ts";
import { fullNameOfUser } from "../../ui/user-name.ts";
import { uiTexts } from "../../ui/texts.ts";
import { AsOfField } from "./as-of-field.tsx";
import { nameProject, toAsOf } from "./grant-rows.ts";
import { userGrantTexts } from "./texts.ts";
import { WhyRoles } from "./why-roles.tsx";
import { UserGrantList } from "./user-grant-list.tsx";

type Params = PageProps<"organization" | "user">["params"];

/** Shows the roles that a user holds in effect, and the grants that the organization has given. */
export function UserRolesPage({ params }: { readonly params: Params }): JSX.Element {
  const texts = useTexts(userGrantTexts);
  const { go } = useNavigation();
  const mayWrite = useCan()("user.grant.write");
  const add = mayWrite && (
    <Button
      look="first"
      onClick={() => go(`${toPath("/orgs/:organization/user-grants/new", params)}?user=${params.user}`)}
    >
      {texts.addToUser}
    </Button>
  );
  return (
    <UserFrame params={params} actions={() => add}>
      {(user) => (
        <Lists
          params={params}
          user={{ id: user.id, title: fullNameOfUser(user) }}
          mayWrite={mayWrite}
          add={add}
        />
      )}
    </UserFrame>
  );
}

function Lists({
  params,
  user,
  mayWrite,
  add,
}: {
  readonly params: Params;
  readonly user: NamedObject;
  readonly mayWrite: boolean;
  readonly add: JSX.Element | false;
}): JSX.Element {
  const texts = useTexts(userGrantTexts);
  const client = useClient(UserGrantService);
  const [version, setVersion] = useState(0);
  const [asOf, setAsOf] = useState<Timestamp>();
  const mayLookBack = useCan()("event.read");
  const effective = useQuery(async () => {
    const { effectiveRoles } = await client.listEffectiveRoles({
      userId: user.id,
      organizationId: params.organization,
      pageSize: 1000,
      ...toAsOf(asOf),
    });
    return new Set(effectiveRoles.map(({ projectId }) => projectId));
  }, [client, user.id, version, asOf]);
  const isInEffect = (projectId: string): string =>
    effective.data === undefined ? "" : effective.data.has(projectId) ? texts.given.yes : texts.given.no;
  return (
    <>
      {mayLookBack && <AsOfField asOf={asOf} onChange={setAsOf} />}
      <section class="part">
        <h2>{texts.given.title}</h2>
        <UserGrantList
          organizationId={params.organization}
          user={user}
          asOf={asOf}
          mayWrite={mayWrite && asOf === undefined}
          name={texts.given.title}
          more={[{ title: texts.given.effect, text: ({ grant }) => isInEffect(grant.projectId) }]}
          empty={{ text: texts.emptyOfUser, action: add }}
          onRemoved={() => setVersion(version + 1)}
        />
      </section>
      <EffectiveRoles params={params} version={version} asOf={asOf} />
    </>
  );
}

interface Row {
  /** Of the grant. */
  readonly id: string;
  readonly projectId: string;
  readonly project: string;
  readonly organizationId: string;
  readonly organization: string;
  readonly roles: string;
  readonly roleKeys: readonly string[];
  /** The name of the group that has the grant; empty for a grant to the user. */
  readonly group: string;
  /** The page of the grant, or that of the grants to the group. */
  readonly to: string;
}

function EffectiveRoles({
  params,
  version,
  asOf,
}: {
  readonly params: Params;
  readonly version: number;
  readonly asOf: Timestamp | undefined;
}): JSX.Element {
  const texts = useTexts(userGrantTexts);
  const shared = useTexts(uiTexts);
  const load = useLoadEffective(params, asOf);
  return (
    <section class="part">
      <h2>{texts.effective.title}</h2>
      <p class="hint list-head">{texts.effective.lead}</p>
      <List
        name={texts.effective.title}
        load={load}
        inputs={[params.user, version, asOf]}
        columns={[
          { title: texts.project, text: ({ project }) => project },
          { title: texts.roles, text: ({ roles }) => roles },
          { title: texts.effective.group, text: ({ group }) => group, isMinor: true },
          { title: texts.effective.given, text: ({ organization }) => organization, isMinor: true },
          {
            title: shared.why,
            text: () => "",
            render: (row) => <WhyRoles userId={params.user} asOf={asOf} of={row} />,
          },
        ]}
        idOf={({ id }) => id}
        linkOf={({ to }) => to}
        empty={{ title: texts.effective.none, text: "" }}
      />
    </section>
  );
}

function useLoadEffective({ organization, user: userId }: Params, asOf: Timestamp | undefined) {
  const client = useClient(UserGrantService);
  const names = useNames();
  return async ({
    filters: _none,
    ...page
  }: {
    readonly pageSize: number;
    readonly pageToken: string;
    readonly countTotal: boolean;
    readonly filters: unknown;
  }) => {
    const answer = await client.listEffectiveRoles({ ...page, userId, ...toAsOf(asOf) });
    const rows = answer.effectiveRoles.map(async (role): Promise<Row> => {
      const { projectId, organizationId, roleKeys, via } = role;
      const group = via === undefined || via.groupId === "" ? undefined : await names.group(via.groupId);
      return {
        projectId,
        project: await nameProject(names, projectId, organizationId),
        organizationId,
        organization: (await names.organization(organizationId)).title,
        roles: roleKeys.join(", "),
        id: via?.userGrantId || via?.groupGrantId || projectId,
        group: group?.title ?? "",
        roleKeys,
        to:
          group === undefined
            ? toPath("/orgs/:organization/user-grants/:user/:grant", {
                organization: organizationId,
                user: userId,
                grant: via?.userGrantId ?? "",
              })
            : toPath("/orgs/:organization/groups/:group/grants", { organization, group: group.id }),
      };
    });
    return { ...answer, rows: await Promise.all(rows) };
  };
}
