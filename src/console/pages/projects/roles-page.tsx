import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useCan, useClient } from "../../api/api.ts";
import { ProjectFrame } from "../../frames/project-frame.tsx";
import type { Role } from "../../../../gen/console/gatehouse/v1/project_role_pb.ts";
import { ProjectService } from "../../../../gen/console/gatehouse/v1/project_service_pb.ts";
import type { PageProps } from "../../routing/page-entry.ts";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { useBatchRemoval } from "../../ui/batch-removal.ts";
import { Button } from "../../ui/button.tsx";
import { List } from "../../ui/list/list.tsx";
import { type Removable, RemovalDialog } from "../../ui/removal-dialog.tsx";
import { uiTexts } from "../../ui/texts.ts";
import { AddRoleDialog, EditRoleDialog } from "./role-dialogs.tsx";
import { roleTexts } from "./texts.ts";

type Open =
  | { readonly kind: "add" }
  | { readonly kind: "edit"; readonly role: Role }
  | { readonly kind: "remove"; readonly roles: readonly Role[] };

/** Lists the roles of a project; adds, changes and removes them. */
export function RolesPage({ params }: PageProps<"organization" | "project">): JSX.Element {
  const texts = useTexts(roleTexts);
  const shared = useTexts(uiTexts);
  const { number } = useFormats();
  const { project: projectId } = params;
  const client = useClient(ProjectService);
  const mayWrite = useCan()("project.write", { project: projectId });
  const [open, setOpen] = useState<Open>();
  const removeAll = useBatchRemoval<Removable>(({ id }) => ({
    case: "removeProjectRole",
    value: { projectId, roleKey: id },
  }));
  const [version, setVersion] = useState(0);
  const close = (): void => setOpen(undefined);
  const done = (): void => {
    close();
    setVersion(version + 1);
  };
  const add = mayWrite && (
    <Button look="first" onClick={() => setOpen({ kind: "add" })}>
      {texts.add}
    </Button>
  );
  return (
    <ProjectFrame params={params} actions={() => add}>
      {() => (
        <>
          <List
            name={texts.title}
            load={async ({ filters: _none, ...page }) => {
              const answer = await client.listProjectRoles({ projectId, ...page });
              return { ...answer, rows: answer.projectRoles };
            }}
            inputs={[client, projectId, version]}
            columns={[
              { title: texts.key, text: ({ key }) => key },
              { title: texts.displayName, text: ({ displayName }) => displayName },
              { title: texts.group, text: ({ group }) => group, isMinor: true },
            ]}
            idOf={({ key }) => key}
            rowActions={
              mayWrite
                ? (role) => (
                    <Button
                      look="quiet"
                      label={`${texts.edit} ${role.key}`}
                      onClick={() => setOpen({ kind: "edit", role })}
                    >
                      {texts.edit}
                    </Button>
                  )
                : undefined
            }
            bulk={
              mayWrite
                ? [
                    {
                      label: shared.remove,
                      isDanger: true,
                      run: (roles) => setOpen({ kind: "remove", roles }),
                    },
                  ]
                : []
            }
            empty={{ title: texts.emptyTitle, text: texts.emptyText, action: add }}
          />
          {open?.kind === "add" && <AddRoleDialog projectId={projectId} onClose={close} onDone={done} />}
          {open?.kind === "edit" && (
            <EditRoleDialog projectId={projectId} role={open.role} onClose={close} onDone={done} />
          )}
          {open?.kind === "remove" && (
            <RemovalDialog
              items={open.roles.map(({ key, details }) => ({ id: key, name: key, details }))}
              several={texts.several(number(open.roles.length))}
              remove={({ id }, options) => client.removeProjectRole({ projectId, roleKey: id }, options)}
              removeAll={removeAll}
              onClose={close}
              onRemoved={done}
            />
          )}
        </>
      )}
    </ProjectFrame>
  );
}
