import type { JSX } from "preact";
import { useClient } from "../../api/api.ts";
import { withKey } from "../../api/call-options.ts";
import {
  AddServiceUserRequestSchema,
  UserService,
} from "../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { toPath } from "../../routing/routes.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNotify } from "../../ui/notices.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { fromServiceProfile, ServiceFields, toServiceProfile } from "./service-fields.tsx";
import { userTexts } from "./texts.ts";

/** Adds a service user to the organization, and goes to it. */
export function AddServicePage({ params }: PageProps<"organization">): JSX.Element {
  const texts = useTexts(userTexts);
  const { go } = useNavigation();
  const notify = useNotify();
  const client = useClient(UserService);
  const list = toPath("/orgs/:organization/users", params);
  const form = useForm({
    request: AddServiceUserRequestSchema,
    initial: toServiceProfile(),
    async submit(values, key) {
      const { userId } = await client.addServiceUser(fromServiceProfile(values), withKey(key));
      notify(texts.added(values.name));
      go(toPath("/orgs/:organization/users/:user", { ...params, user: userId }), { replaces: true });
    },
  });
  return (
    <PageFrame title={texts.addService} parent={{ to: list, title: texts.title }}>
      <FormView form={form} submitText={texts.addService} onCancel={() => go(list)}>
        <ServiceFields form={form} hasFocus />
      </FormView>
    </PageFrame>
  );
}
