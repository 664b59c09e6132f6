import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useCan, useClient } from "../../api/api.ts";
import { ifUnchanged } from "../../api/call-options.ts";
import { GroupFrame } from "../../frames/group-frame.tsx";
import type { Group } from "../../../../gen/console/gatehouse/v1/group_pb.ts";
import {
  GroupService,
  UpdateGroupRequestSchema,
} from "../../../../gen/console/gatehouse/v1/group_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { toPath } from "../../routing/routes.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { Button } from "../../ui/button.tsx";
import { Facts, ObjectFacts } from "../../ui/facts.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNotify } from "../../ui/notices.tsx";
import { RemovalDialog } from "../../ui/removal-dialog.tsx";
import { GroupFields, toGroupValues } from "./group-fields.tsx";
import { groupTexts } from "./texts.ts";

/** Shows the settings of a group, and removes it. */
export function GroupSettingsPage({ params }: PageProps<"organization" | "group">): JSX.Element {
  const texts = useTexts(groupTexts);
  const mayWrite = useCan()("group.write");
  return (
    <GroupFrame
      params={params}
      actions={(group, reload) =>
        mayWrite && <Removing group={group} organization={params.organization} onChange={reload} />
      }
    >
      {(group, reload) => (
        <>
          {mayWrite ? (
            <SettingsForm group={group} onChange={reload} />
          ) : (
            <Facts
              facts={[
                { label: texts.description, value: group.description },
                { label: texts.externalId, value: group.externalId },
              ]}
            />
          )}
          {group.source.value !== undefined && (
            <p class="hint">
              {texts.source}: {group.source.value}. {texts.sourceHint}
            </p>
          )}
          <ObjectFacts id={group.id} details={group.details} />
        </>
      )}
    </GroupFrame>
  );
}

interface ViewProps {
  readonly group: Group;
  readonly onChange: () => Promise<void>;
}

function SettingsForm({ group, onChange }: ViewProps): JSX.Element {
  const texts = useTexts(groupTexts);
  const notify = useNotify();
  const client = useClient(GroupService);
  const { id, source } = group;
  const form = useForm({
    request: UpdateGroupRequestSchema,
    initial: toGroupValues(group),
    version: group.details,
    async submit(values, _key, version) {
      await client.updateGroup({ id, ...values, source }, ifUnchanged(version));
      notify(texts.saved);
      await onChange();
    },
    async readStored() {
      const { group: stored } = await client.getGroup({ id });
      await onChange();
      return { values: toGroupValues(stored), version: stored?.details };
    },
  });
  return (
    <FormView form={form} isChange>
      <GroupFields form={form} />
    </FormView>
  );
}

function Removing({
  group,
  organization,
  onChange,
}: ViewProps & { readonly organization: string }): JSX.Element {
  const texts = useTexts(groupTexts);
  const { go } = useNavigation();
  const client = useClient(GroupService);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button look="danger" onClick={() => setIsOpen(true)}>
        {texts.remove}
      </Button>
      {isOpen && (
        <RemovalDialog
          items={[group]}
          remove={({ id }, options) => client.removeGroup({ id }, options)}
          onClose={() => setIsOpen(false)}
          onRemoved={() => go(toPath("/orgs/:organization/groups", { organization }), { replaces: true })}
          onChanged={onChange}
        />
      )}
    </>
  );
}
