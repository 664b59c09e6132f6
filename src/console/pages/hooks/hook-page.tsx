import type { JSX } from "preact";
import { useApi, useCan, useClient } from "../../api/api.ts";
import { ifUnchanged } from "../../api/call-options.ts";
import { useQuery } from "../../api/use-query.ts";
import { type Hook, HookState } from "../../../../gen/console/gatehouse/v1/hook_pb.ts";
import {
  HookService,
  UpdateHookRequestSchema,
} from "../../../../gen/console/gatehouse/v1/hook_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { History } from "../../ui/events/history.tsx";
import { Facts, ObjectFacts } from "../../ui/facts.tsx";
import { TextField } from "../../ui/form/fields.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNotify } from "../../ui/notices.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { QueryView } from "../../ui/query-view.tsx";
import { StateActions } from "../../ui/state-actions.tsx";
import { TrialPanel } from "./trial-panel.tsx";
import { HookSecretsPanel } from "./hook-secrets-panel.tsx";
import { HookFields, readKeys, readTimeout, toHookValues } from "./hook-fields.tsx";
import { type HookPlace, toHookList } from "./hook-place.ts";
import { hookTexts } from "./texts.ts";

/** Shows a hook: its settings, its secrets, and a trial run. */
export function HookPage({
  params,
}: {
  readonly params: HookPlace & { readonly hook: string };
}): JSX.Element {
  const client = useClient(HookService);
  const mayHere = useCan()("policy.write");
  const { permissions } = useApi();
  const mayWrite = params.organization === undefined ? permissions.can("policy.write", {}) : mayHere;
  const read = async (): Promise<Hook> => {
    const { hook } = await client.getHook({ hookId: params.hook });
    if (hook === undefined) throw new Error("GetHook answered without one");
    return hook;
  };
  const query = useQuery(read, [client, params.hook]);
  return (
    <QueryView query={query}>
      {(hook) => (
        <HookView key={hook.id} place={params} hook={hook} mayWrite={mayWrite} onChange={query.reload} />
      )}
    </QueryView>
  );
}

interface HookViewProps {
  readonly place: HookPlace;
  readonly hook: Hook;
  readonly mayWrite: boolean;
  readonly onChange: () => Promise<void>;
}

function HookView(props: HookViewProps): JSX.Element {
  const { place, hook, mayWrite, onChange } = props;
  const texts = useTexts(hookTexts);
  const isActive = hook.state === HookState.ACTIVE;
  return (
    <PageFrame
      title={hook.name}
      mark={<span class={`state ${isActive ? "active" : "inactive"}`}>{texts.states[hook.state]}</span>}
      lead={texts.stateHints[hook.state] ?? ""}
      parent={{ to: toHookList(place), title: texts.title }}
      actions={mayWrite && <HookActions {...props} />}
    >
      {mayWrite ? (
        <SettingsForm {...props} />
      ) : (
        <Facts
          facts={[
            { label: texts.url, value: hook.url },
            { label: texts.keys, value: hook.metadataKeys.join(", ") },
            { label: texts.timeout, value: String(hook.timeoutMs) },
            { label: texts.failClosed, value: hook.failClosed ? texts.yes : texts.no },
          ]}
        />
      )}
      <HookSecretsPanel hook={hook} mayWrite={mayWrite} onChange={onChange} />
      {mayWrite && <TrialPanel hook={hook} />}
      <ObjectFacts
        id={hook.id}
        details={hook.details}
        more={[{ label: texts.kind, value: texts.kinds[hook.kind] }]}
      />
      <History aggregate="hook" id={hook.id} version={hook.details?.sequence} />
    </PageFrame>
  );
}

function HookActions({ place, hook, onChange }: HookViewProps): JSX.Element {
  const { go } = useNavigation();
  const client = useClient(HookService);
  const { id: hookId, name, details, state } = hook;
  return (
    <StateActions
      item={{ id: hookId, name, details }}
      isActive={state === HookState.ACTIVE}
      texts={useTexts(hookTexts)}
      deactivate={(options) => client.deactivateHook({ hookId }, options)}
      reactivate={(options) => client.reactivateHook({ hookId }, options)}
      remove={(options) => client.removeHook({ hookId }, options)}
      onChange={onChange}
      onRemoved={() => go(toHookList(place), { replaces: true })}
    />
  );
}

function SettingsForm({ hook, onChange }: HookViewProps): JSX.Element {
  const texts = useTexts(hookTexts);
  const notify = useNotify();
  const client = useClient(HookService);
  const { id: hookId } = hook;
  const form = useForm({
    request: UpdateHookRequestSchema,
    initial: toHookValues(hook),
    version: hook.details,
    secrets: ["signingSecret"],
    async submit(values, _key, version) {
      const { kind: _fixed, ...settings } = values;
      const metadataKeys = readKeys(values);
      const request = { ...settings, hookId, timeoutMs: readTimeout(values), metadataKeys };
      await client.updateHook(request, ifUnchanged(version));
      notify(texts.saved);
      await onChange();
    },
    async readStored() {
      const { hook: stored } = await client.getHook({ hookId });
      await onChange();
      return { values: toHookValues(stored), version: stored?.details };
    },
  });
  return (
    <FormView form={form} isChange>
      <HookFields form={form} />
      {form.values.url !== hook.url && (
        <TextField form={form} name="signingSecret" label={texts.newSecret} hint={texts.newSecretHint} />
      )}
    </FormView>
  );
}
