import type { JSX } from "preact";
import { useApi, useCan, useClient } from "../../api/api.ts";
import { TargetService } from "../../../../gen/console/gatehouse/v1/target_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { Button } from "../../ui/button.tsx";
import { List } from "../../ui/list/list.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { uiTexts } from "../../ui/texts.ts";
import { type TargetPlace, toAddition, toTarget } from "./target-place.ts";
import { targetTexts } from "./texts.ts";

/** Lists the targets of the organization. */
export function TargetsPage({ params }: PageProps<"organization">): JSX.Element {
  return <Targets place={params} mayWrite={useCan()("policy.write")} />;
}

/** Lists the targets of the instance. */
export function InstanceTargetsPage(): JSX.Element {
  const { permissions } = useApi();
  return <Targets place={{}} mayWrite={permissions.can("policy.write", {})} />;
}

function Targets({
  place,
  mayWrite,
}: {
  readonly place: TargetPlace;
  readonly mayWrite: boolean;
}): JSX.Element {
  const texts = useTexts(targetTexts);
  const shared = useTexts(uiTexts);
  const { go } = useNavigation();
  const client = useClient(TargetService);
  const add = mayWrite && (
    <Button look="first" onClick={() => go(toAddition(place))}>
      {texts.add}
    </Button>
  );
  return (
    <PageFrame title={texts.title} lead={texts.lead} actions={add}>
      <List
        name={texts.title}
        load={async ({ pageSize, pageToken, countTotal }) => {
          const instance = place.organization === undefined;
          const answer = await client.listTargets({ pageSize, pageToken, countTotal, instance });
          return { ...answer, rows: answer.targets };
        }}
        inputs={[client, place.organization]}
        columns={[
          { title: texts.name, text: ({ name }) => name },
          { title: texts.state, text: ({ state }) => texts.states[state] ?? "" },
          { title: texts.url, text: ({ url }) => url },
          {
            title: texts.eventTypes,
            text: ({ eventTypes }) => eventTypes.join(", ") || texts.allTypes,
            isMinor: true,
          },
          { title: shared.id, text: ({ id }) => id, isMinor: true },
        ]}
        idOf={({ id }) => id}
        linkOf={({ id }) => toTarget(place, id)}
        empty={{ title: texts.emptyTitle, text: texts.emptyText, action: add }}
      />
    </PageFrame>
  );
}
