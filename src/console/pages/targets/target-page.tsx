import type { JSX } from "preact";
import { useApi, useCan, useClient } from "../../api/api.ts";
import { ifUnchanged } from "../../api/call-options.ts";
import { useQuery } from "../../api/use-query.ts";
import { type Target, TargetState } from "../../../../gen/console/gatehouse/v1/target_pb.ts";
import {
  TargetService,
  UpdateTargetRequestSchema,
} from "../../../../gen/console/gatehouse/v1/target_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { History } from "../../ui/events/history.tsx";
import { Facts, ObjectFacts } from "../../ui/facts.tsx";
import { TextField } from "../../ui/form/fields.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNotify } from "../../ui/notices.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { QueryView } from "../../ui/query-view.tsx";
import { StateActions } from "../../ui/state-actions.tsx";
import { DeliveriesPanel } from "./deliveries-panel.tsx";
import { SecretsPanel } from "./secrets-panel.tsx";
import { TargetFields, toTargetValues } from "./target-fields.tsx";
import { type TargetPlace, toTargets } from "./target-place.ts";
import { targetTexts } from "./texts.ts";

/** Shows a target: its settings, its secrets, and what was delivered to it. */
export function TargetPage({
  params,
}: {
  readonly params: TargetPlace & { readonly target: string };
}): JSX.Element {
  const client = useClient(TargetService);
  const mayHere = useCan()("policy.write");
  const { permissions } = useApi();
  const mayWrite = params.organization === undefined ? permissions.can("policy.write", {}) : mayHere;
  const read = async (): Promise<Target> => {
    const { target } = await client.getTarget({ targetId: params.target });
    if (target === undefined) throw new Error("GetTarget answered without one");
    return target;
  };
  const query = useQuery(read, [client, params.target]);
  return (
    <QueryView query={query}>
      {(target) => (
        <TargetView
          key={target.id}
          place={params}
          target={target}
          mayWrite={mayWrite}
          onChange={query.reload}
        />
      )}
    </QueryView>
  );
}

interface TargetViewProps {
  readonly place: TargetPlace;
  readonly target: Target;
  readonly mayWrite: boolean;
  readonly onChange: () => Promise<void>;
}

function TargetView(props: TargetViewProps): JSX.Element {
  const { place, target, mayWrite, onChange } = props;
  const texts = useTexts(targetTexts);
  const { date } = useFormats();
  const isActive = target.state === TargetState.ACTIVE;
  return (
    <PageFrame
      title={target.name}
      mark={<span class={`state ${isActive ? "active" : "inactive"}`}>{texts.states[target.state]}</span>}
      lead={texts.stateHints[target.state] ?? ""}
      parent={{ to: toTargets(place), title: texts.title }}
      actions={mayWrite && <TargetActions {...props} />}
    >
      {mayWrite ? (
        <SettingsForm {...props} />
      ) : (
        <Facts
          facts={[
            { label: texts.url, value: target.url },
            { label: texts.eventTypes, value: target.eventTypes.join(", ") || texts.allTypes },
          ]}
        />
      )}
      <SecretsPanel target={target} mayWrite={mayWrite} onChange={onChange} />
      <DeliveriesPanel target={target} mayWrite={mayWrite} onChange={onChange} />
      <ObjectFacts
        id={target.id}
        details={target.details}
        more={[
          { label: texts.deliveries.position, value: String(target.position) },
          {
            label: texts.deliveries.next,
            value: target.nextAttemptDate === undefined ? undefined : date(target.nextAttemptDate),
          },
        ]}
      />
      <History aggregate="target" id={target.id} version={target.details?.sequence} />
    </PageFrame>
  );
}

function TargetActions({ place, target, onChange }: TargetViewProps): JSX.Element {
  const { go } = useNavigation();
  const client = useClient(TargetService);
  const { id: targetId, name, details, state } = target;
  return (
    <StateActions
      item={{ id: targetId, name, details }}
      isActive={state === TargetState.ACTIVE || state === TargetState.FAILING}
      texts={useTexts(targetTexts)}
      deactivate={(options) => client.deactivateTarget({ targetId }, options)}
      reactivate={(options) => client.reactivateTarget({ targetId }, options)}
      remove={(options) => client.removeTarget({ targetId }, options)}
      onChange={onChange}
      onRemoved={() => go(toTargets(place), { replaces: true })}
    />
  );
}

function SettingsForm({ target, onChange }: TargetViewProps): JSX.Element {
  const texts = useTexts(targetTexts);
  const notify = useNotify();
  const client = useClient(TargetService);
  const { id: targetId } = target;
  const form = useForm({
    request: UpdateTargetRequestSchema,
    initial: toTargetValues(target),
    version: target.details,
    secrets: ["signingSecret"],
    async submit(values, _key, version) {
      const request = { ...values, targetId, eventTypes: [...values.eventTypes] };
      await client.updateTarget(request, ifUnchanged(version));
      notify(texts.saved);
      await onChange();
    },
    async readStored() {
      const { target: stored } = await client.getTarget({ targetId });
      await onChange();
      return { values: toTargetValues(stored), version: stored?.details };
    },
  });
  return (
    <FormView form={form} isChange>
      <TargetFields form={form} />
      {form.values.url !== target.url && (
        <TextField form={form} name="signingSecret" label={texts.newSecret} hint={texts.newSecretHint} />
      )}
    </FormView>
  );
}
