import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useCan, useClient } from "../../api/api.ts";
import { withKey } from "../../api/call-options.ts";
import { toFieldError } from "../../api/call-problem.ts";
import { UserFrame } from "../../frames/user-frame.tsx";
import type { Group, GroupMember } from "../../../../gen/console/gatehouse/v1/group_pb.ts";
import {
  AddGroupMembersRequestSchema,
  GroupService,
} from "../../../../gen/console/gatehouse/v1/group_service_pb.ts";
import type { PageProps } from "../../routing/page-entry.ts";
import { toPath } from "../../routing/routes.ts";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { ReferenceField } from "../../ui/form/reference-field.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { List } from "../../ui/list/list.tsx";
import { findGroup } from "../../ui/names/find-object.ts";
import { usePeriodText } from "../../ui/period/period-facts.ts";
import { periodTexts } from "../../ui/period/texts.ts";
import { useNotify } from "../../ui/notices.tsx";
import { RemovalDialog } from "../../ui/removal-dialog.tsx";
import { groupTexts } from "./texts.ts";

type Params = PageProps<"organization" | "user">["params"];

interface Row {
  readonly group: Group;
  /** The user as a member of it. */
  readonly member: GroupMember | undefined;
}

/** Lists the groups that a user is a direct member of, and how long the user is. */
export function UserGroupsPage({ params }: { readonly params: Params }): JSX.Element {
  const texts = useTexts(groupTexts);
  const mayWrite = useCan()("group.write");
  const client = useClient(GroupService);
  const { date } = useFormats();
  const periods = useTexts(periodTexts);
  const periodText = usePeriodText();
  const [isAdding, setIsAdding] = useState(false);
  const [removal, setRemoval] = useState<readonly Group[]>();
  const [version, setVersion] = useState(0);
  const done = (): void => {
    setIsAdding(false);
    setRemoval(undefined);
    setVersion(version + 1);
  };
  const add = mayWrite && (
    <Button look="first" onClick={() => setIsAdding(true)}>
      {texts.ofUser.add}
    </Button>
  );
  return (
    <UserFrame params={params} actions={() => add}>
      {(user) => (
        <>
          <p class="hint list-head">{texts.ofUser.lead}</p>
          <List
            name={texts.title}
            load={async ({ filters: _none, ...page }) => {
              const answer = await client.listGroups({ ...page, userId: user.id });
              const rows = answer.groups.map(
                (group, index): Row => ({ group, member: answer.members[index] }),
              );
              return { ...answer, rows };
            }}
            inputs={[client, user.id, version]}
            columns={[
              { title: texts.name, text: ({ group }) => group.name },
              { title: texts.description, text: ({ group }) => group.description },
              { title: texts.members.since, text: ({ member }) => date(member?.addDate), isMinor: true },
              { title: periods.end, text: ({ member }) => (member === undefined ? "" : periodText(member)) },
            ]}
            idOf={({ group }) => group.id}
            linkOf={({ group: { id } }) =>
              toPath("/orgs/:organization/groups/:group", { ...params, group: id })
            }
            bulk={
              mayWrite
                ? [
                    {
                      label: texts.members.remove,
                      isDanger: true,
                      run: (rows) => setRemoval(rows.map(({ group }) => group)),
                    },
                  ]
                : []
            }
            empty={{ title: texts.ofUser.emptyTitle, text: texts.ofUser.emptyText, action: add }}
          />
          {isAdding && <AddDialog userId={user.id} onClose={() => setIsAdding(false)} onDone={done} />}
          {removal !== undefined && (
            <RemovalDialog
              items={removal.map(({ id, name }) => ({ id, name }))}
              remove={({ id }, options) =>
                client.removeGroupMembers({ groupId: id, userIds: [user.id] }, options)
              }
              onClose={() => setRemoval(undefined)}
              onRemoved={done}
            />
          )}
        </>
      )}
    </UserFrame>
  );
}

function AddDialog({
  userId,
  onClose,
  onDone,
}: {
  readonly userId: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}): JSX.Element {
  const texts = useTexts(groupTexts);
  const notify = useNotify();
  const client = useClient(GroupService);
  const find = (text: string) => findGroup(client, text);
  const form = useForm({
    request: AddGroupMembersRequestSchema,
    initial: { groupId: "" },
    async submit({ groupId: typed }, key) {
      const group = await find(typed);
      if (group === undefined) throw toFieldError("groupId", texts.members.groupMissing);
      await client.addGroupMembers({ groupId: group.id, userIds: [userId] }, withKey(key));
      notify(texts.saved);
      onDone();
    },
  });
  return (
    <Dialog title={texts.ofUser.add} onClose={onClose}>
      <FormView form={form} submitText={texts.ofUser.add} onCancel={onClose}>
        <ReferenceField
          form={form}
          name="groupId"
          label={texts.members.group}
          hint={texts.members.groupHint}
          find={find}
          hasFocus
        />
      </FormView>
    </Dialog>
  );
}
