import type { JSX } from "preact";
import { useClient } from "../../api/api.ts";
import { withKey } from "../../api/call-options.ts";
import {
  AddGroupRequestSchema,
  GroupService,
} from "../../../../gen/console/gatehouse/v1/group_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { toPath } from "../../routing/routes.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNotify } from "../../ui/notices.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { GroupFields, toGroupValues } from "./group-fields.tsx";
import { groupTexts } from "./texts.ts";

/** Adds a group to the organization, and goes to it. */
export function AddGroupPage({ params }: PageProps<"organization">): JSX.Element {
  const texts = useTexts(groupTexts);
  const { go } = useNavigation();
  const notify = useNotify();
  const client = useClient(GroupService);
  const list = toPath("/orgs/:organization/groups", params);
  const form = useForm({
    request: AddGroupRequestSchema,
    initial: toGroupValues(),
    async submit(values, key) {
      const { id } = await client.addGroup(values, withKey(key));
      notify(texts.added(values.name));
      go(toPath("/orgs/:organization/groups/:group", { ...params, group: id }), { replaces: true });
    },
  });
  return (
    <PageFrame title={texts.add} parent={{ to: list, title: texts.title }}>
      <FormView form={form} submitText={texts.add} onCancel={() => go(list)}>
        <GroupFields form={form} hasFocus />
      </FormView>
    </PageFrame>
  );
}
