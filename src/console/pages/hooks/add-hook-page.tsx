import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useClient } from "../../api/api.ts";
import { withKey } from "../../api/call-options.ts";
import type { HookKind } from "../../../../gen/console/gatehouse/v1/hook_pb.ts";
import { AddHookRequestSchema, HookService } from "../../../../gen/console/gatehouse/v1/hook_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNotify } from "../../ui/notices.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { SecretDialog } from "../../ui/secret-dialog.tsx";
import { HookFields, readKeys, readTimeout, toHookValues } from "./hook-fields.tsx";
import { type HookPlace, toHook, toHookList } from "./hook-place.ts";
import { hookTexts } from "./texts.ts";

/** Adds a hook of the organization. */
export function AddHookPage({ params }: PageProps<"organization">): JSX.Element {
  return <Addition place={params} />;
}

/** Adds a hook of the instance. */
export function AddInstanceHookPage(): JSX.Element {
  return <Addition place={{}} />;
}

/** Adds a hook, shows its secret, and goes to it. */
function Addition({ place }: { readonly place: HookPlace }): JSX.Element {
  const texts = useTexts(hookTexts);
  const { go } = useNavigation();
  const notify = useNotify();
  const client = useClient(HookService);
  const [made, setMade] = useState<{ readonly id: string; readonly secret: string }>();
  const form = useForm({
    request: AddHookRequestSchema,
    initial: toHookValues(),
    async submit(values, key) {
      const { name, url, failClosed } = values;
      const instance = place.organization === undefined;
      const settings = {
        name,
        url,
        failClosed,
        timeoutMs: readTimeout(values),
        metadataKeys: readKeys(values),
      };
      const kind = Number(values.kind) as HookKind; // one of the options
      const request = { ...settings, kind, instance };
      const { hookId, signingSecret } = await client.addHook(request, withKey(key));
      notify(texts.added(name));
      if (signingSecret === "") {
        notify(texts.secretLost); // the answer of the first call did not arrive
        go(toHook(place, hookId), { replaces: true });
      } else setMade({ id: hookId, secret: signingSecret });
    },
  });
  return (
    <PageFrame title={texts.add} parent={{ to: toHookList(place), title: texts.title }}>
      <FormView form={form} submitText={texts.add} onCancel={() => go(toHookList(place))}>
        <HookFields form={form} isNew />
      </FormView>
      {made !== undefined && (
        <SecretDialog
          title={texts.secretTitle}
          secrets={[{ label: texts.secret, value: made.secret }]}
          onClose={() => go(toHook(place, made.id), { replaces: true })}
        />
      )}
    </PageFrame>
  );
}
