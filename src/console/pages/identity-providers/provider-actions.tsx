import type { JSX } from "preact";
import { useClient } from "../../api/api.ts";
import { IdentityProviderState } from "../../../../gen/console/gatehouse/v1/identity_provider_pb.ts";
import { IdentityProviderService } from "../../../../gen/console/gatehouse/v1/identity_provider_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { StateActions } from "../../ui/state-actions.tsx";
import { toProviders } from "./shared/provider.ts";
import { providerTexts } from "./shared/texts.ts";
import type { ProviderViewProps } from "./shared/view-props.ts";

/** Stops, starts and removes an identity provider. */
export function ProviderActions({ organization, provider, onChange }: ProviderViewProps): JSX.Element {
  const { go } = useNavigation();
  const client = useClient(IdentityProviderService);
  const { id, name, details, state } = provider;
  return (
    <StateActions
      item={{ id, name, details }}
      isActive={state === IdentityProviderState.ACTIVE}
      texts={useTexts(providerTexts)}
      deactivate={(options) => client.deactivateIdentityProvider({ idpId: id }, options)}
      reactivate={(options) => client.reactivateIdentityProvider({ idpId: id }, options)}
      remove={(options) => client.removeIdentityProvider({ idpId: id }, options)}
      onChange={onChange}
      onRemoved={() => go(toProviders(organization), { replaces: true })}
    />
  );
}
