import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useClient } from "../../../api/api.ts";
import { UserService } from "../../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { Button } from "../../../ui/button.tsx";
import { RemovalDialog } from "../../../ui/removal-dialog.tsx";
import { signInTexts } from "./sign-in-texts.ts";

/** Removes the recovery codes of a person, of which no call says whether there are any. It is for users that may. */
export function RecoveryCodesPanel({ userId }: { readonly userId: string }): JSX.Element {
  const texts = useTexts(signInTexts).codes;
  const client = useClient(UserService);
  const [step, setStep] = useState<"removing" | "removed">();
  return (
    <section class="panel">
      <h2>{texts.title}</h2>
      <p class="hint">{texts.lead}</p>
      {step === "removed" ? (
        <p>{texts.missing}</p>
      ) : (
        <div class="actions">
          <Button look="danger" onClick={() => setStep("removing")}>
            {texts.remove}
          </Button>
        </div>
      )}
      {step === "removing" && (
        <RemovalDialog
          items={[{ id: userId, name: texts.title }]}
          missing={texts.missing}
          remove={(_item, options) => client.removeRecoveryCodes({ userId }, options)}
          onClose={() => setStep(undefined)}
          onRemoved={() => setStep("removed")}
        />
      )}
    </section>
  );
}
