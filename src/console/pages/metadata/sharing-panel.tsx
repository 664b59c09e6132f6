import type { JSX } from "preact";
import {
  ClaimMappingService,
  SetUserMetadataSharingRequestSchema,
  type UserMetadataSharing,
} from "../../../../gen/console/gatehouse/v1/claim_mapping_service_pb.ts";
import { useClient } from "../../api/api.ts";
import { ifUnchanged } from "../../api/call-options.ts";
import { useQuery } from "../../api/use-query.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { LinesField } from "../../ui/form/fields.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNotify } from "../../ui/notices.tsx";
import { QueryView } from "../../ui/query-view.tsx";
import { metadataTexts } from "./texts.ts";

/** Sets which metadata of its users an organization shares: each line is a key and the ids of organizations, with spaces between. */
export function SharingPanel({ organizationId: id }: { readonly organizationId: string }): JSX.Element {
  const texts = useTexts(metadataTexts);
  const client = useClient(ClaimMappingService);
  const read = async () => (await client.getUserMetadataSharing({ id })).sharing;
  const query = useQuery(read, [client, id]);
  return (
    <section class="panel">
      <h2>{texts.sharing}</h2>
      <p class="hint">{texts.sharingLead}</p>
      <QueryView query={query}>
        {(stored) => <SharingForm id={id} stored={stored} read={read} onChange={() => query.reload()} />}
      </QueryView>
    </section>
  );
}

function SharingForm({
  id,
  stored,
  read,
  onChange,
}: {
  readonly id: string;
  readonly stored: UserMetadataSharing | undefined;
  readonly read: () => Promise<UserMetadataSharing | undefined>;
  readonly onChange: () => Promise<void>;
}): JSX.Element {
  const texts = useTexts(metadataTexts);
  const notify = useNotify();
  const client = useClient(ClaimMappingService);
  const form = useForm({
    request: SetUserMetadataSharingRequestSchema,
    initial: { shared: toLines(stored) },
    version: stored?.details,
    async submit({ shared }, _key, version) {
      await client.setUserMetadataSharing({ id, shared: shared.map(toShared) }, ifUnchanged(version));
      notify(texts.sharingSaved);
      await onChange();
    },
    async readStored() {
      const now = await read();
      return { values: { shared: toLines(now) }, version: now?.details };
    },
  });
  return (
    <FormView form={form} isChange>
      <LinesField form={form} name="shared" label={texts.sharedKeys} hint={texts.sharedKeysHint} />
    </FormView>
  );
}

function toLines(sharing: UserMetadataSharing | undefined): readonly string[] {
  return (sharing?.shared ?? []).map(({ key, sharedWith }) => [key, ...sharedWith].join(" "));
}

function toShared(line: string): { readonly key: string; readonly sharedWith: string[] } {
  const [key = "", ...sharedWith] = line.split(/\s+/);
  return { key, sharedWith };
}
