import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useCan, useClient } from "../../api/api.ts";
import { GroupFrame } from "../../frames/group-frame.tsx";
import type { Group, GroupMember } from "../../../../gen/console/gatehouse/v1/group_pb.ts";
import { GroupService } from "../../../../gen/console/gatehouse/v1/group_service_pb.ts";
import type { PageProps } from "../../routing/page-entry.ts";
import { toPath } from "../../routing/routes.ts";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { Button } from "../../ui/button.tsx";
import { List } from "../../ui/list/list.tsx";
import type { NamedObject } from "../../ui/names/named-object.ts";
import { useNames } from "../../ui/names/use-names.ts";
import { usePeriodText } from "../../ui/period/period-facts.ts";
import type { RightInTime } from "../../ui/period/period.ts";
import { periodTexts } from "../../ui/period/texts.ts";
import { RemovalDialog } from "../../ui/removal-dialog.tsx";
import { useLater } from "../../ui/use-later.ts";
import type { MemberKind } from "./add-member-dialog.tsx";
import { groupTexts } from "./texts.ts";

type Params = PageProps<"organization" | "group">["params"];

/** Lists the direct members of a group, adds some and removes some. */
export function GroupMembersPage({ params }: { readonly params: Params }): JSX.Element {
  const texts = useTexts(groupTexts).members;
  const mayWrite = useCan()("group.write");
  const [adding, setAdding] = useState<MemberKind>();
  const AddMemberDialog = useLater(
    async () => (await import("./add-member-dialog.tsx")).AddMemberDialog,
    mayWrite,
  );
  const add = mayWrite && (
    <>
      <Button onClick={() => setAdding("group")}>{texts.addGroup}</Button>
      <Button look="first" onClick={() => setAdding("user")}>
        {texts.addUser}
      </Button>
    </>
  );
  return (
    <GroupFrame params={params} actions={(group) => group.source.case === undefined && add}>
      {(group, reload) => (
        <>
          <p class="hint list-head">{texts.lead}</p>
          <Members params={params} group={group} mayWrite={mayWrite} onChange={reload} add={add} />
          {adding !== undefined && AddMemberDialog && (
            <AddMemberDialog
              kind={adding}
              groupId={group.id}
              onClose={() => setAdding(undefined)}
              onDone={() => {
                setAdding(undefined);
                void reload();
              }}
            />
          )}
        </>
      )}
    </GroupFrame>
  );
}

interface Row {
  readonly kind: MemberKind;
  readonly object: NamedObject;
  readonly since: GroupMember["addDate"];
  readonly period: RightInTime;
}

function Members({
  params,
  group,
  mayWrite,
  onChange,
  add,
}: {
  readonly params: Params;
  readonly group: Group;
  readonly mayWrite: boolean;
  readonly onChange: () => Promise<void>;
  readonly add: JSX.Element | false;
}): JSX.Element {
  const texts = useTexts(groupTexts).members;
  const { date } = useFormats();
  const client = useClient(GroupService);
  const names = useNames();
  const [removal, setRemoval] = useState<readonly Row[]>();
  const periods = useTexts(periodTexts);
  const periodText = usePeriodText();
  const toRow = async ({ member, addDate: since, startDate, endDate }: GroupMember): Promise<Row> => {
    const period = { startDate, endDate };
    return member.case === "groupId"
      ? { kind: "group", object: await names.group(member.value), since, period }
      : { kind: "user", object: await names.user(member.value ?? ""), since, period };
  };
  return (
    <>
      <List
        name={texts.title}
        load={async ({ filters: _none, ...page }) => {
          const answer = await client.listGroupMembers({ ...page, groupId: group.id });
          return { ...answer, rows: await Promise.all(answer.members.map(toRow)) };
        }}
        inputs={[client, group.details?.sequence]}
        columns={[
          { title: texts.title, text: ({ object }) => object.title },
          { title: texts.kind, text: ({ kind }) => texts[kind], isMinor: true },
          { title: texts.since, text: ({ since }) => date(since), isMinor: true },
          { title: periods.end, text: ({ period }) => periodText(period), isMinor: true },
        ]}
        idOf={({ kind, object }) => `${kind} ${object.id}`}
        linkOf={({ kind, object }) =>
          kind === "group"
            ? toPath("/orgs/:organization/groups/:group", { ...params, group: object.id })
            : toPath("/orgs/:organization/users/:user", { ...params, user: object.id })
        }
        bulk={
          mayWrite && group.source.case === undefined
            ? [{ label: texts.remove, isDanger: true, run: (rows) => setRemoval(rows) }]
            : []
        }
        empty={{ title: texts.emptyTitle, text: texts.emptyText, action: <div class="actions">{add}</div> }}
      />
      {removal !== undefined && (
        <RemovalDialog
          items={removal.map(({ kind, object }) => ({ id: object.id, name: object.title, kind }))}
          remove={({ id, kind }, options) =>
            client.removeGroupMembers(
              { groupId: group.id, ...(kind === "user" ? { userIds: [id] } : { groupIds: [id] }) },
              options,
            )
          }
          onClose={() => setRemoval(undefined)}
          onRemoved={() => {
            setRemoval(undefined);
            void onChange();
          }}
        />
      )}
    </>
  );
}
