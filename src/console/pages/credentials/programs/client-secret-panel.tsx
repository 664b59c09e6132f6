import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { useClient } from "../../../api/api.ts";
import { withKey } from "../../../api/call-options.ts";
import {
  type GenerateServiceUserSecretResponse,
  UserService,
} from "../../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { ActionDialog } from "../../../ui/action-dialog.tsx";
import { Button } from "../../../ui/button.tsx";
import { RemovalDialog } from "../../../ui/removal-dialog.tsx";
import { SecretDialog } from "../../../ui/secret-dialog.tsx";
import { LostSecret } from "../shared/lost-secret.tsx";
import { programTexts } from "./program-texts.ts";

/**
 * Makes the client secret of a service user, in place of the one that may be there, and removes it. No call says whether there is
 * one. It is for users that may.
 */
export function ClientSecretPanel({ userId }: { readonly userId: string }): JSX.Element {
  const texts = useTexts(programTexts).secret;
  const client = useClient(UserService);
  const [open, setOpen] = useState<"make" | "remove">();
  const [made, setMade] = useState<Pick<GenerateServiceUserSecretResponse, "clientId" | "clientSecret">>();
  // The same until an answer came, so that a repeat makes no second secret.
  const key = useRef(crypto.randomUUID());
  const [isRemoved, setIsRemoved] = useState(false);
  const make = async (): Promise<void> => {
    const answer = await client.generateServiceUserSecret({ userId }, withKey(key.current));
    key.current = crypto.randomUUID();
    setMade(answer);
    setIsRemoved(false);
  };
  return (
    <section class="panel">
      <h2>{texts.title}</h2>
      <p class="hint">{texts.lead}</p>
      {isRemoved && <p>{texts.missing}</p>}
      <div class="actions">
        <Button onClick={() => setOpen("make")}>{texts.make}</Button>
        {!isRemoved && (
          <Button look="danger" onClick={() => setOpen("remove")}>
            {texts.remove}
          </Button>
        )}
      </div>
      {open === "make" && (
        <ActionDialog
          title={texts.makeTitle}
          text={texts.makeText}
          actionText={texts.make}
          done={texts.made}
          run={make}
          onClose={() => setOpen(undefined)}
          onDone={() => undefined}
          isDanger
        />
      )}
      {open === "remove" && (
        <RemovalDialog
          items={[{ id: userId, name: texts.name }]}
          missing={texts.missing}
          remove={(_item, options) => client.removeServiceUserSecret({ userId }, options)}
          onClose={() => setOpen(undefined)}
          onRemoved={() => {
            setOpen(undefined);
            setIsRemoved(true);
          }}
        />
      )}
      {made !== undefined &&
        (made.clientSecret === "" ? (
          <LostSecret text={texts.lost} renew={make} onClose={() => setMade(undefined)} />
        ) : (
          <SecretDialog
            title={texts.madeTitle}
            secrets={[
              { label: texts.clientId, value: made.clientId },
              { label: texts.secret, value: made.clientSecret },
            ]}
            onClose={() => setMade(undefined)}
          />
        ))}
    </section>
  );
}
