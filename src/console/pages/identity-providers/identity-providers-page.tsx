import type { JSX } from "preact";
import { useCan, useClient } from "../../api/api.ts";
import { toEnum } from "../../api/enums.ts";
import { IdentityProviderState } from "../../../../gen/console/gatehouse/v1/identity_provider_pb.ts";
import { IdentityProviderService } from "../../../../gen/console/gatehouse/v1/identity_provider_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { Button } from "../../ui/button.tsx";
import { List } from "../../ui/list/list.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { StateMark, toObjectState } from "../../ui/state-mark.tsx";
import { uiTexts } from "../../ui/texts.ts";
import { kindOfProvider, toProvider, toProviders } from "./shared/provider.ts";
import { providerTexts } from "./shared/texts.ts";

/** Lists the identity providers of an organization. */
export function IdentityProvidersPage({ params }: PageProps<"organization">): JSX.Element {
  const texts = useTexts(providerTexts);
  const shared = useTexts(uiTexts);
  const { go } = useNavigation();
  const client = useClient(IdentityProviderService);
  const { ACTIVE, INACTIVE } = IdentityProviderState;
  const add = useCan()("idp.write") && (
    <Button look="first" onClick={() => go(`${toProviders(params.organization)}/new`)}>
      {texts.add}
    </Button>
  );
  return (
    <PageFrame title={texts.title} lead={texts.lead} actions={add}>
      <List
        name={texts.title}
        inputs={[client]}
        load={async ({ filters, ...page }) => {
          const answer = await client.listIdentityProviders({
            ...page,
            name: filters["name"] ?? "",
            state: toEnum(IdentityProviderState, filters["state"]),
          });
          return { ...answer, rows: answer.identityProviders };
        }}
        columns={[
          { title: texts.name, text: ({ name }) => name },
          { title: texts.kind, text: (provider) => texts.kinds[kindOfProvider(provider)] },
          { title: shared.id, text: ({ id }) => id, isMinor: true },
          {
            title: texts.state,
            text: ({ state }) => toObjectState(state),
            render: ({ state }) => <StateMark state={state} />,
          },
        ]}
        filters={[
          { name: "name", label: texts.name },
          {
            name: "state",
            label: texts.state,
            options: [
              { value: String(ACTIVE), label: shared.active },
              { value: String(INACTIVE), label: shared.inactive },
            ],
          },
        ]}
        idOf={({ id }) => id}
        linkOf={({ id }) => toProvider(params.organization, id)}
        empty={{ title: texts.emptyTitle, text: texts.emptyText, action: add }}
      />
    </PageFrame>
  );
}
