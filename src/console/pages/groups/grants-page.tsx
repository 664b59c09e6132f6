import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useCan, useClient } from "../../api/api.ts";
import { ifUnchanged } from "../../api/call-options.ts";
import { GroupFrame } from "../../frames/group-frame.tsx";
import { type GroupGrant, GroupGrantState } from "../../../../gen/console/gatehouse/v1/group_pb.ts";
import { GroupService } from "../../../../gen/console/gatehouse/v1/group_service_pb.ts";
import type { PageProps } from "../../routing/page-entry.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { Button } from "../../ui/button.tsx";
import { List } from "../../ui/list/list.tsx";
import { useNames } from "../../ui/names/use-names.ts";
import { usePeriodText } from "../../ui/period/period-facts.ts";
import { periodTexts } from "../../ui/period/texts.ts";
import { RemovalDialog } from "../../ui/removal-dialog.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import { uiTexts } from "../../ui/texts.ts";
import { nameProject } from "../user-grants/grant-rows.ts";
import { AddGrantDialog, EditGrantDialog } from "./grant-dialogs.tsx";
import { groupTexts } from "./texts.ts";

type Params = PageProps<"organization" | "group">["params"];

/** Lists the roles that the organization has given to the group; gives more, changes and removes them. */
export function GroupGrantsPage({ params }: { readonly params: Params }): JSX.Element {
  const texts = useTexts(groupTexts).grants;
  const can = useCan();
  const mayWrite = can("user.grant.write") && can("group.write");
  const [isAdding, setIsAdding] = useState(false);
  const [version, setVersion] = useState(0);
  const reload = (): void => setVersion(version + 1);
  const add = mayWrite && (
    <Button look="first" onClick={() => setIsAdding(true)}>
      {texts.add}
    </Button>
  );
  return (
    <GroupFrame params={params} actions={() => add}>
      {(group) => (
        <>
          <p class="hint list-head">{texts.lead}</p>
          <Grants params={params} version={version} mayWrite={mayWrite} add={add} onChange={reload} />
          {isAdding && (
            <AddGrantDialog
              groupId={group.id}
              onClose={() => setIsAdding(false)}
              onDone={() => {
                setIsAdding(false);
                reload();
              }}
            />
          )}
        </>
      )}
    </GroupFrame>
  );
}

interface Row {
  readonly grant: GroupGrant;
  readonly project: string;
}

interface Open {
  readonly kind: "edit" | "remove";
  readonly row: Row;
}

function Grants({
  params,
  version,
  mayWrite,
  add,
  onChange,
}: {
  readonly params: Params;
  readonly version: number;
  readonly mayWrite: boolean;
  readonly add: JSX.Element | false;
  readonly onChange: () => void;
}): JSX.Element {
  const texts = useTexts(groupTexts).grants;
  const shared = useTexts(uiTexts);
  const client = useClient(GroupService);
  const names = useNames();
  const periods = useTexts(periodTexts);
  const periodText = usePeriodText();
  const [open, setOpen] = useState<Open>();
  const done = (): void => {
    setOpen(undefined);
    onChange();
  };
  return (
    <>
      <List
        name={texts.title}
        load={async ({ filters: _none, ...page }) => {
          const answer = await client.listGroupGrants({ ...page, groupId: params.group });
          const rows = answer.groupGrants.map(
            async (grant): Promise<Row> => ({
              grant,
              project: await nameProject(names, grant.projectId, params.organization),
            }),
          );
          return { ...answer, rows: await Promise.all(rows) };
        }}
        inputs={[client, params.group, version]}
        columns={[
          { title: texts.project, text: ({ project }) => project },
          { title: texts.roles, text: ({ grant }) => grant.roleKeys.join(", ") || texts.none },
          { title: periods.end, text: ({ grant }) => periodText(grant), isMinor: true },
          {
            title: texts.state,
            text: ({ grant }) => (grant.state === GroupGrantState.ACTIVE ? shared.active : shared.inactive),
            render: ({ grant }) => <StateMark state={grant.state} />,
          },
        ]}
        idOf={({ grant }) => grant.id}
        rowActions={(row) => mayWrite && <Actions row={row} onOpen={setOpen} onChange={onChange} />}
        empty={{ title: texts.emptyTitle, text: texts.emptyText, action: add }}
      />
      {open?.kind === "edit" && (
        <EditGrantDialog
          grant={open.row.grant}
          project={open.row.project}
          onClose={() => setOpen(undefined)}
          onDone={done}
        />
      )}
      {open?.kind === "remove" && (
        <RemovalDialog
          items={[{ id: open.row.grant.id, name: open.row.project, details: open.row.grant.details }]}
          remove={({ id }, options) =>
            client.removeGroupGrant({ groupId: params.group, grantId: id }, options)
          }
          onClose={() => setOpen(undefined)}
          onRemoved={done}
        />
      )}
    </>
  );
}

function Actions({
  row,
  onOpen,
  onChange,
}: {
  readonly row: Row;
  readonly onOpen: (open: Open) => void;
  readonly onChange: () => void;
}): JSX.Element {
  const texts = useTexts(groupTexts).grants;
  const shared = useTexts(uiTexts);
  const client = useClient(GroupService);
  const { id: grantId, groupId, state, details } = row.grant;
  const name = { groupId, grantId };
  const isActive = state === GroupGrantState.ACTIVE;
  return (
    <>
      <Button look="quiet" label={texts.editOf(row.project)} onClick={() => onOpen({ kind: "edit", row })}>
        {texts.edit}
      </Button>
      <ActionButton
        look="quiet"
        run={() =>
          isActive
            ? client.deactivateGroupGrant(name, ifUnchanged(details))
            : client.reactivateGroupGrant(name, ifUnchanged(details))
        }
        done={isActive ? texts.deactivated : texts.reactivated}
        onDone={onChange}
      >
        {isActive ? texts.deactivate : texts.reactivate}
      </ActionButton>
      <Button
        look="quiet"
        label={texts.removeOf(row.project)}
        onClick={() => onOpen({ kind: "remove", row })}
      >
        {shared.remove}
      </Button>
    </>
  );
}
