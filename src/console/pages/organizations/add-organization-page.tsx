import type { JSX } from "preact";
import { useApi, useClient } from "../../api/api.ts";
import { withKey } from "../../api/call-options.ts";
import {
  AddOrganizationRequestSchema,
  OrganizationService,
} from "../../../../gen/console/gatehouse/v1/organization_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import { toPath } from "../../routing/routes.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { TextField } from "../../ui/form/fields.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNotify } from "../../ui/notices.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { organizationTexts } from "./texts.ts";

/** Adds an organization, and goes to it. */
export function AddOrganizationPage(): JSX.Element {
  const texts = useTexts(organizationTexts);
  const { refreshPermissions } = useApi();
  const { go } = useNavigation();
  const notify = useNotify();
  const client = useClient(OrganizationService);
  const form = useForm({
    request: AddOrganizationRequestSchema,
    initial: { name: "" },
    async submit(values, key) {
      const { organizationId } = await client.addOrganization(values, withKey(key));
      notify(texts.added(values.name));
      await refreshPermissions();
      go(toPath("/orgs/:organization", { organization: organizationId }), { replaces: true });
    },
  });
  return (
    <PageFrame title={texts.add} parent={{ to: "/orgs", title: texts.title }}>
      <FormView form={form} submitText={texts.add} onCancel={() => go("/orgs")}>
        <TextField form={form} name="name" label={texts.name} hint={texts.nameHint} hasFocus />
      </FormView>
    </PageFrame>
  );
}
