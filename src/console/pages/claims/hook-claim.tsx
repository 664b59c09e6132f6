import type { JSX } from "preact";
import type { HookClaim } from "../../../../gen/console/gatehouse/v1/hook_pb.ts";
import {
  HookService,
  SetHookClaimRequestSchema,
} from "../../../../gen/console/gatehouse/v1/hook_service_pb.ts";
import { useClient } from "../../api/api.ts";
import { ifUnchanged } from "../../api/call-options.ts";
import { useQuery } from "../../api/use-query.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { TextField } from "../../ui/form/fields.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNotify } from "../../ui/notices.tsx";
import { QueryView } from "../../ui/query-view.tsx";
import { claimTexts } from "./texts.ts";

interface HookClaimProps {
  readonly projectId: string;
  readonly appId: string;
  /** How often the page has changed the application: with each change the version to save upon is another one. */
  readonly changes: number;
}

/** Sets the claim below which tokens and assertions of an application tell what hooks add. */
export function HookClaimPanel(props: HookClaimProps): JSX.Element {
  const { projectId, appId, changes } = props;
  const texts = useTexts(claimTexts);
  const client = useClient(HookService);
  const read = async () => (await client.getHookClaim({ projectId, appId })).hookClaim;
  const query = useQuery(read, [client, projectId, appId, changes]);
  return (
    <section class="panel">
      <h2>{texts.hookClaim}</h2>
      <p class="hint">{texts.hookClaimLead}</p>
      <QueryView query={query}>
        {(stored) => <HookClaimForm {...props} stored={stored} read={read} onChange={() => query.reload()} />}
      </QueryView>
    </section>
  );
}

function HookClaimForm({
  projectId,
  appId,
  stored,
  read,
  onChange,
}: HookClaimProps & {
  readonly stored: HookClaim | undefined;
  readonly read: () => Promise<HookClaim | undefined>;
  readonly onChange: () => Promise<void>;
}): JSX.Element {
  const texts = useTexts(claimTexts);
  const notify = useNotify();
  const client = useClient(HookService);
  const form = useForm({
    request: SetHookClaimRequestSchema,
    of: `hook ${appId}`,
    initial: { claim: stored?.claim ?? "" },
    version: stored?.details,
    async submit({ claim }, _key, version) {
      await client.setHookClaim({ projectId, appId, claim }, ifUnchanged(version));
      notify(texts.hookClaimSaved);
      await onChange();
    },
    async readStored() {
      const { claim = "", details } = (await read()) ?? {};
      return { values: { claim }, version: details };
    },
  });
  return (
    <FormView form={form} isChange>
      <TextField form={form} name="claim" label={texts.hookClaimName} hint={texts.hookClaimHint} />
    </FormView>
  );
}
