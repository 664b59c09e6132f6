import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { useClient } from "../../api/api.ts";
import { withKey } from "../../api/call-options.ts";
import type { Hook, HookSecret } from "../../../../gen/console/gatehouse/v1/hook_pb.ts";
import { HookService } from "../../../../gen/console/gatehouse/v1/hook_service_pb.ts";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { ActionDialog } from "../../ui/action-dialog.tsx";
import { Button } from "../../ui/button.tsx";
import { RemovalDialog } from "../../ui/removal-dialog.tsx";
import { SecretDialog } from "../../ui/secret-dialog.tsx";
import { hookTexts } from "./texts.ts";

/** Props of a panel of a hook. */
export interface HookPanelProps {
  readonly hook: Hook;
  readonly mayWrite: boolean;
  /** Reads the hook again. */
  readonly onChange: () => Promise<void>;
}

/** Shows when the signing secrets of a hook were added, and exchanges them. */
export function HookSecretsPanel({ hook, mayWrite, onChange }: HookPanelProps): JSX.Element {
  const texts = useTexts(hookTexts);
  const { date } = useFormats();
  const client = useClient(HookService);
  const [isAdding, setIsAdding] = useState(false);
  const [removed, setRemoved] = useState<HookSecret>();
  const [made, setMade] = useState("");
  // The same until an answer came, so that a repeat makes no second secret.
  const key = useRef(crypto.randomUUID());
  const add = async (): Promise<void> => {
    const { signingSecret } = await client.addHookSecret({ hookId: hook.id }, withKey(key.current));
    key.current = crypto.randomUUID();
    setMade(signingSecret);
  };
  const nameOf = ({ creationDate }: HookSecret): string => texts.secrets.name(date(creationDate));
  return (
    <section class="panel">
      <h2>{texts.secrets.title}</h2>
      <p class="hint">{texts.secrets.lead}</p>
      <ul>
        {hook.signingSecrets.map((secret) => (
          <li key={secret.id}>
            {nameOf(secret)}{" "}
            {mayWrite && hook.signingSecrets.length > 1 && (
              <Button
                look="danger"
                label={`${texts.secrets.remove}: ${nameOf(secret)}`}
                onClick={() => setRemoved(secret)}
              >
                {texts.secrets.remove}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {mayWrite && hook.signingSecrets.length < 2 && (
        <div class="actions">
          <Button onClick={() => setIsAdding(true)}>{texts.secrets.add}</Button>
        </div>
      )}
      {isAdding && (
        <ActionDialog
          title={texts.secrets.addTitle}
          text={texts.secrets.addText}
          actionText={texts.secrets.add}
          done={texts.secrets.done}
          run={add}
          onClose={() => setIsAdding(false)}
          onDone={onChange}
        />
      )}
      {removed !== undefined && (
        <RemovalDialog
          items={[{ id: removed.id, name: nameOf(removed) }]}
          remove={({ id }, options) => client.removeHookSecret({ hookId: hook.id, secretId: id }, options)}
          onClose={() => setRemoved(undefined)}
          onRemoved={() => {
            setRemoved(undefined);
            void onChange();
          }}
        />
      )}
      {made !== "" && (
        <SecretDialog
          title={texts.secretTitle}
          secrets={[{ label: texts.secret, value: made }]}
          onClose={() => setMade("")}
        />
      )}
    </section>
  );
}
