import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { useClient } from "../../../api/api.ts";
import { withKey } from "../../../api/call-options.ts";
import { readProblem, toFieldError } from "../../../api/call-problem.ts";
import { KeyType } from "../../../../../gen/console/gatehouse/v1/key_pb.ts";
import {
  AddServiceUserKeyRequestSchema,
  UserService,
} from "../../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { ChoiceField } from "../../../ui/form/choice-fields.tsx";
import { DateField, endOfDay } from "../../../ui/form/date-field.tsx";
import { LongTextField } from "../../../ui/form/fields.tsx";
import { FormView } from "../../../ui/form/form-view.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { useNotify } from "../../../ui/notices.tsx";
import { saveFile } from "../../../ui/save-file.ts";
import { uiTexts } from "../../../ui/texts.ts";
import { LostSecret } from "../shared/lost-secret.tsx";
import { replaceLost } from "../shared/replace-lost.ts";
import type { AddCredentialProps } from "./add-token-dialog.tsx";
import { programTexts } from "./program-texts.ts";

interface MadeKey {
  readonly id: string;
  /** The file with the private key; empty if the answer was a repeated one. */
  readonly file: Uint8Array;
}

/** Adds a key to a service user, and hands the private part over once if it was made here. */
export function AddServiceKeyDialog({ userId, onClose, onAdded }: AddCredentialProps): JSX.Element {
  const { keys: texts, expiration, expirationHint } = useTexts(programTexts);
  const { required } = useTexts(uiTexts).form;
  const notify = useNotify();
  const client = useClient(UserService);
  const [made, setMade] = useState<MadeKey>();
  const nextKey = useRef(crypto.randomUUID());
  const add = async (lastDay: string, publicKey: string, key: string): Promise<void> => {
    const { keyId, keyDetails } = await client.addServiceUserKey(
      {
        userId,
        type: KeyType.JSON,
        expirationDate: endOfDay(lastDay),
        publicKey: new TextEncoder().encode(publicKey),
      },
      withKey(key),
    );
    notify(texts.added);
    if (publicKey === "") setMade({ id: keyId, file: keyDetails });
    else onClose();
    onAdded();
  };
  const form = useForm({
    request: AddServiceUserKeyRequestSchema,
    initial: { source: "make", publicKey: "", expirationDate: "" },
    // Somebody may paste the private key by mistake.
    secrets: ["publicKey"],
    check: ({ source, publicKey }): Record<string, string> =>
      source === "own" && publicKey.trim() === "" ? { publicKey: required } : {},
    async submit({ source, publicKey, expirationDate }, key) {
      try {
        await add(expirationDate, source === "own" ? publicKey : "", key);
      } catch (error) {
        const { reason, message } = readProblem(error);
        throw reason === "KEY_INVALID" ? toFieldError("publicKey", message) : error;
      }
    },
  });
  if (made === undefined) {
    return (
      <Dialog key="form" title={texts.add} onClose={onClose} isWide>
        <FormView form={form} submitText={texts.add} onCancel={onClose}>
          <DateField form={form} name="expirationDate" label={expiration} hint={expirationHint} />
          <ChoiceField
            form={form}
            name="source"
            label={texts.source}
            options={[
              { value: "make", label: texts.make, hint: texts.makeHint },
              { value: "own", label: texts.own, hint: texts.ownHint },
            ]}
          />
          {form.values.source === "own" && (
            <LongTextField
              form={form}
              name="publicKey"
              label={texts.publicKey}
              hint={texts.publicKeyHint}
              rows={8}
            />
          )}
        </FormView>
      </Dialog>
    );
  }
  if (made.file.length === 0) {
    return (
      <LostSecret
        key="lost"
        text={texts.lost}
        renew={() =>
          replaceLost(
            {
              remove: () => client.removeServiceUserKey({ userId, keyId: made.id }),
              add: (key) => add(form.values.expirationDate, "", key),
            },
            nextKey,
          )
        }
        onClose={onClose}
      />
    );
  }
  return <KeyFileDialog key="file" made={made} onClose={onClose} />;
}

/** Hands over the file with the private key. It can be closed only after a download, or knowingly without one. */
function KeyFileDialog({
  made,
  onClose,
}: {
  readonly made: MadeKey;
  readonly onClose: () => void;
}): JSX.Element {
  const texts = useTexts(programTexts).keys;
  const { done } = useTexts(uiTexts).secret;
  const download = (): void =>
    saveFile({ name: `${made.id}.json`, type: "application/json", content: made.file });
  return (
    <Dialog title={texts.madeTitle} onClose={onClose} isFirm>
      <p>{texts.madeText}</p>
      <p>
        {texts.id} <code>{made.id}</code>
      </p>
      <div class="actions">
        <Button look="first" onClick={download} hasFocus>
          {texts.download}
        </Button>
        <Button onClick={onClose}>{done}</Button>
      </div>
    </Dialog>
  );
}
