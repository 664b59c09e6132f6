import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useClient } from "../../api/api.ts";
import { withKey } from "../../api/call-options.ts";
import {
  AddTargetRequestSchema,
  TargetService,
} from "../../../../gen/console/gatehouse/v1/target_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNotify } from "../../ui/notices.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { SecretDialog } from "../../ui/secret-dialog.tsx";
import { TargetFields, toTargetValues } from "./target-fields.tsx";
import { type TargetPlace, toTarget, toTargets } from "./target-place.ts";
import { targetTexts } from "./texts.ts";

/** Adds a target of the organization. */
export function AddTargetPage({ params }: PageProps<"organization">): JSX.Element {
  return <Addition place={params} />;
}

/** Adds a target of the instance. */
export function AddInstanceTargetPage(): JSX.Element {
  return <Addition place={{}} />;
}

/** Adds a target, shows its secret, and goes to it. */
function Addition({ place }: { readonly place: TargetPlace }): JSX.Element {
  const texts = useTexts(targetTexts);
  const { go } = useNavigation();
  const notify = useNotify();
  const client = useClient(TargetService);
  const [made, setMade] = useState<{ readonly id: string; readonly secret: string }>();
  const form = useForm({
    request: AddTargetRequestSchema,
    initial: toTargetValues(),
    async submit({ name, url, eventTypes }, key) {
      const instance = place.organization === undefined;
      const request = { name, url, eventTypes: [...eventTypes], instance };
      const { targetId, signingSecret } = await client.addTarget(request, withKey(key));
      notify(texts.added(name));
      if (signingSecret === "") {
        notify(texts.secretLost); // the answer of the first call did not arrive
        go(toTarget(place, targetId), { replaces: true });
      } else setMade({ id: targetId, secret: signingSecret });
    },
  });
  return (
    <PageFrame title={texts.add} parent={{ to: toTargets(place), title: texts.title }}>
      <FormView form={form} submitText={texts.add} onCancel={() => go(toTargets(place))}>
        <TargetFields form={form} hasFocus />
      </FormView>
      {made !== undefined && (
        <SecretDialog
          title={texts.secretTitle}
          secrets={[{ label: texts.secret, value: made.secret }]}
          onClose={() => go(toTarget(place, made.id), { replaces: true })}
        />
      )}
    </PageFrame>
  );
}
