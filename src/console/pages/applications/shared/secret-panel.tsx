import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useClient } from "../../../api/api.ts";
import { ifUnchanged } from "../../../api/call-options.ts";
import { ApplicationService } from "../../../../../gen/console/gatehouse/v1/application_service_pb.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { ActionDialog } from "../../../ui/action-dialog.tsx";
import { Button } from "../../../ui/button.tsx";
import { SecretDialog } from "../../../ui/secret-dialog.tsx";
import { applicationTexts } from "./texts.ts";
import type { ApplicationViewProps } from "./view-props.ts";

/** Makes a new client secret for an application that authenticates with one. Only for users that may change it. */
export function SecretPanel({ params, application, onChange }: ApplicationViewProps): JSX.Element {
  const texts = useTexts(applicationTexts);
  const client = useClient(ApplicationService);
  const [isAsked, setIsAsked] = useState(false);
  const [secret, setSecret] = useState("");
  const [isShown, setIsShown] = useState(false);
  const { id, details } = application;
  const make = async (): Promise<void> => {
    const request = { projectId: params.project, appId: id };
    const { clientSecret } = await client.generateClientSecret(request, ifUnchanged(details));
    setSecret(clientSecret);
  };
  return (
    <section class="panel">
      <h2>{texts.secret.title}</h2>
      <p>{texts.secret.text}</p>
      <div class="actions">
        <Button onClick={() => setIsAsked(true)}>{texts.secret.make}</Button>
      </div>
      {isAsked && (
        <ActionDialog
          title={texts.secret.makeTitle}
          text={texts.secret.makeText}
          actionText={texts.secret.make}
          done={texts.secret.made}
          isDanger
          run={make}
          onClose={() => setIsAsked(false)}
          onDone={async () => {
            setIsShown(true);
            await onChange();
          }}
          onChanged={onChange}
        />
      )}
      {isShown && (
        <SecretDialog
          title={texts.secret.isNew}
          secrets={[
            { label: texts.clientId, value: id },
            { label: texts.secret.title, value: secret },
          ]}
          onClose={() => {
            setIsShown(false);
            setSecret("");
          }}
        />
      )}
    </section>
  );
}
