import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useClient } from "../../api/api.ts";
import { ifUnchanged } from "../../api/call-options.ts";
import { IdentityProviderState } from "../../gen/gatehouse/v1/identity_provider_pb.ts";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { ActionDialog } from "../../ui/action-dialog.tsx";
import { Button } from "../../ui/button.tsx";
import { RemovalDialog } from "../../ui/removal-dialog.tsx";
import { toProviders } from "./shared/provider.ts";
import { providerTexts } from "./shared/texts.ts";
import type { ProviderViewProps } from "./shared/view-props.ts";

/** Stops, starts and removes an identity provider. */
export function ProviderActions({ organization, provider, onChange }: ProviderViewProps): JSX.Element {
  const texts = useTexts(providerTexts);
  const { go } = useNavigation();
  const client = useClient(IdentityProviderService);
  const [open, setOpen] = useState<"deactivate" | "remove">();
  const { id, name, details, state } = provider;
  return (
    <>
      {state === IdentityProviderState.ACTIVE ? (
        <Button onClick={() => setOpen("deactivate")}>{texts.deactivate}</Button>
      ) : (
        <ActionButton
          run={() => client.reactivateIdentityProvider({ idpId: id }, ifUnchanged(details))}
          done={texts.reactivated(name)}
          onDone={onChange}
        >
          {texts.reactivate}
        </ActionButton>
      )}
      <Button look="danger" onClick={() => setOpen("remove")}>
        {texts.remove}
      </Button>
      {open === "deactivate" && (
        <ActionDialog
          title={texts.deactivateTitle(name)}
          text={texts.deactivateText}
          actionText={texts.deactivate}
          done={texts.deactivated(name)}
          run={() => client.deactivateIdentityProvider({ idpId: id }, ifUnchanged(details))}
          onClose={() => setOpen(undefined)}
          onDone={onChange}
        />
      )}
      {open === "remove" && (
        <RemovalDialog
          items={[{ id, name, details }]}
          remove={(item, options) => client.removeIdentityProvider({ idpId: item.id }, options)}
          onClose={() => setOpen(undefined)}
          onChanged={onChange}
          onRemoved={() => go(toProviders(organization), { replaces: true })}
        />
      )}
    </>
  );
}
