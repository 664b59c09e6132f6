import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { JSX } from "preact";
import { useCan, useClient } from "../../api/api.ts";
import { toEnum } from "../../api/enums.ts";
import { type User, UserState } from "../../../../gen/console/gatehouse/v1/user_pb.ts";
import { UserService } from "../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { toPath } from "../../routing/routes.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { Button } from "../../ui/button.tsx";
import type { Column } from "../../ui/list/list-table.tsx";
import { List } from "../../ui/list/list.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { StateMark, toObjectState } from "../../ui/state-mark.tsx";
import { uiTexts } from "../../ui/texts.ts";
import { nameOfUser } from "../../ui/user-name.ts";
import { useBulkActions } from "./bulk/use-bulk-actions.tsx";
import { userTexts } from "./texts.ts";

/** Lists the users of the organization. */
export function UsersPage({ params }: PageProps<"organization">): JSX.Element {
  const texts = useTexts(userTexts);
  const shared = useTexts(uiTexts);
  const { go } = useNavigation();
  const client = useClient(UserService);
  const can = useCan();
  const mayWrite = can("user.write");
  const bulk = useBulkActions();
  const add = mayWrite && (
    <>
      <Button onClick={() => go(toPath("/orgs/:organization/users/import", params))}>
        {texts.importPeople}
      </Button>
      <Button onClick={() => go(toPath("/orgs/:organization/users/new-service", params))}>
        {texts.addService}
      </Button>
      <Button look="first" onClick={() => go(toPath("/orgs/:organization/users/new", params))}>
        {texts.addPerson}
      </Button>
    </>
  );
  const giveRoles = (users: readonly User[]): void => {
    const ids = users.map(({ id }) => id).join(",");
    go(`${toPath("/orgs/:organization/user-grants/several", params)}?users=${ids}`);
  };
  const kindOf = ({ type }: User): string => (type.case === "service" ? texts.service : texts.person);
  return (
    <PageFrame title={texts.title} lead={texts.lead} actions={add}>
      <List
        name={texts.title}
        load={async ({ filters, ...page }) => {
          const { search = "", username = "", email = "", state, invitation } = filters;
          const { metadataKey = "", metadataValue = "" } = filters;
          const answer = await client.listUsers({
            ...page,
            search,
            username,
            email,
            state: toEnum(UserState, state),
            isInvited: invitation === "open",
            metadataKey,
            metadataValue: new TextEncoder().encode(metadataKey === "" ? "" : metadataValue),
          });
          return { ...answer, rows: answer.users };
        }}
        inputs={[client]}
        columns={[
          { title: texts.name, text: nameOfUser },
          { title: texts.username, text: ({ username }) => username, isMinor: true },
          {
            title: texts.email,
            text: ({ type }) => (type.case === "human" ? type.value.email : ""),
            isMinor: true,
          },
          { title: texts.kind, text: kindOf, isMinor: true },
          {
            title: texts.state,
            text: ({ state }) => shared[toObjectState(state)],
            render: ({ state }) => <StateMark state={state} />,
          },
        ]}
        csvColumns={csvColumnsOf(texts)}
        filters={[
          { name: "search", label: texts.search, isLive: true },
          {
            name: "state",
            label: texts.state,
            options: [UserState.ACTIVE, UserState.INACTIVE, UserState.LOCKED].map((state) => ({
              value: String(state),
              label: shared[toObjectState(state)],
            })),
          },
          {
            name: "invitation",
            label: texts.invitation,
            options: [{ value: "open", label: texts.notTaken }],
          },
          { name: "username", label: texts.wholeUsername, isMinor: true },
          { name: "email", label: texts.wholeEmail, isMinor: true },
          { name: "metadataKey", label: texts.metadataKey, isMinor: true },
          { name: "metadataValue", label: texts.metadataValue, isMinor: true },
        ]}
        idOf={({ id }) => id}
        linkOf={({ id }) => toPath("/orgs/:organization/users/:user", { ...params, user: id })}
        bulk={[
          ...(can("user.grant.write") ? [{ label: texts.giveRoles, run: giveRoles }] : []),
          ...(mayWrite ? bulk.actions : []),
        ]}
        empty={{ title: texts.emptyTitle, text: texts.emptyText, action: <div class="actions">{add}</div> }}
      />
      {bulk.dialog}
    </PageFrame>
  );
}

/** What a list is joined or read in again by. */
function csvColumnsOf(texts: (typeof userTexts)["en"]): readonly Pick<Column<User>, "title" | "text">[] {
  return [
    { title: texts.id, text: ({ id }) => id },
    { title: texts.givenName, text: ({ type }) => (type.case === "human" ? type.value.givenName : "") },
    {
      title: texts.familyName,
      text: ({ type }) => (type.case === "human" ? type.value.familyName : ""),
    },
    {
      title: texts.phone,
      text: ({ type }) => (type.case === "human" ? type.value.phone : ""),
    },
    {
      title: texts.language,
      text: ({ type }) => (type.case === "human" ? type.value.preferredLanguage : ""),
    },
    {
      title: texts.created,
      text: ({ details }) =>
        details?.creationDate === undefined ? "" : timestampDate(details.creationDate).toISOString(),
    },
  ];
}
