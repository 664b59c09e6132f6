import type { JSX } from "preact";
import { useApi, useCan, useClient } from "../../api/api.ts";
import { HookService } from "../../../../gen/console/gatehouse/v1/hook_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { Button } from "../../ui/button.tsx";
import { List } from "../../ui/list/list.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { uiTexts } from "../../ui/texts.ts";
import { type HookPlace, toHookAddition, toHook } from "./hook-place.ts";
import { hookTexts } from "./texts.ts";

/** Lists the hooks of the organization. */
export function HooksPage({ params }: PageProps<"organization">): JSX.Element {
  return <Hooks place={params} mayWrite={useCan()("policy.write")} />;
}

/** Lists the hooks of the instance. */
export function InstanceHooksPage(): JSX.Element {
  const { permissions } = useApi();
  return <Hooks place={{}} mayWrite={permissions.can("policy.write", {})} />;
}

function Hooks({ place, mayWrite }: { readonly place: HookPlace; readonly mayWrite: boolean }): JSX.Element {
  const texts = useTexts(hookTexts);
  const shared = useTexts(uiTexts);
  const { go } = useNavigation();
  const client = useClient(HookService);
  const add = mayWrite && (
    <Button look="first" onClick={() => go(toHookAddition(place))}>
      {texts.add}
    </Button>
  );
  return (
    <PageFrame title={texts.title} lead={texts.lead} actions={add}>
      <List
        name={texts.title}
        load={async ({ pageSize, pageToken, countTotal }) => {
          const instance = place.organization === undefined;
          const answer = await client.listHooks({ pageSize, pageToken, countTotal, instance });
          return { ...answer, rows: answer.hooks };
        }}
        inputs={[client, place.organization]}
        columns={[
          { title: texts.name, text: ({ name }) => name },
          { title: texts.state, text: ({ state }) => texts.states[state] ?? "" },
          { title: texts.url, text: ({ url }) => url },
          { title: texts.kind, text: ({ kind }) => texts.kinds[kind] ?? "", isMinor: true },
          { title: shared.id, text: ({ id }) => id, isMinor: true },
        ]}
        idOf={({ id }) => id}
        linkOf={({ id }) => toHook(place, id)}
        empty={{ title: texts.emptyTitle, text: texts.emptyText, action: add }}
      />
    </PageFrame>
  );
}
