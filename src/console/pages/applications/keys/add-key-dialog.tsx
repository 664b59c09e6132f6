import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useClient } from "../../../api/api.ts";
import { withKey } from "../../../api/call-options.ts";
import {
  AddApplicationKeyRequestSchema,
  ApplicationService,
} from "../../../../../gen/console/gatehouse/v1/application_service_pb.ts";
import { KeyType } from "../../../../../gen/console/gatehouse/v1/key_pb.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { DateField, endOfDay } from "../../../ui/form/date-field.tsx";
import { ChoiceField } from "../../../ui/form/choice-fields.tsx";
import { LongTextField } from "../../../ui/form/fields.tsx";
import { FormView } from "../../../ui/form/form-view.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { useNotify } from "../../../ui/notices.tsx";
import { saveFile } from "../../../ui/save-file.ts";
import { uiTexts } from "../../../ui/texts.ts";
import { keysTexts } from "./keys-texts.ts";

/** Props of the dialog for a new key. */
export interface AddKeyDialogProps {
  readonly ids: { readonly projectId: string; readonly appId: string };
  readonly onClose: () => void;
  /** Called when the key is there; the dialog may still show its private part. */
  readonly onAdded: () => void;
}

interface MadeKey {
  readonly id: string;
  /** The file with the private key; empty if the answer was a repeated one. */
  readonly file: Uint8Array;
}

/** Adds a key, and hands its private part over once. */
export function AddKeyDialog({ ids, onClose, onAdded }: AddKeyDialogProps): JSX.Element {
  const [made, setMade] = useState<MadeKey>();
  if (made === undefined)
    return (
      <KeyForm
        ids={ids}
        onClose={onClose}
        onAdded={(key) => {
          onAdded();
          if (key === undefined) onClose();
          else setMade(key);
        }}
      />
    );
  return made.file.length === 0 ? (
    <LostKey onClose={onClose} />
  ) : (
    <MadeKeyView made={made} onClose={onClose} />
  );
}

function KeyForm({
  ids,
  onClose,
  onAdded,
}: Pick<AddKeyDialogProps, "ids" | "onClose"> & {
  readonly onAdded: (made: MadeKey | undefined) => void;
}): JSX.Element {
  const texts = useTexts(keysTexts);
  const { required } = useTexts(uiTexts).form;
  const notify = useNotify();
  const client = useClient(ApplicationService);
  const form = useForm({
    request: AddApplicationKeyRequestSchema,
    initial: { source: "make", expirationDate: "", publicKey: "" },
    // Somebody may paste the private key by mistake.
    secrets: ["publicKey"],
    check: ({ source, publicKey }): Record<string, string> =>
      source === "own" && publicKey.trim() === "" ? { publicKey: required } : {},
    async submit({ source, expirationDate, publicKey }, key) {
      const request = {
        ...ids,
        type: KeyType.JSON,
        expirationDate: endOfDay(expirationDate),
        publicKey: new TextEncoder().encode(source === "own" ? publicKey : ""),
      };
      const { id, keyDetails } = await client.addApplicationKey(request, withKey(key));
      notify(texts.added);
      onAdded(source === "own" ? undefined : { id, file: keyDetails });
    },
  });
  return (
    <Dialog title={texts.add} onClose={onClose} isWide>
      <FormView form={form} submitText={texts.add} onCancel={onClose}>
        <DateField form={form} name="expirationDate" label={texts.expiration} hint={texts.expirationHint} />
        <ChoiceField
          form={form}
          name="source"
          label={texts.source}
          options={[
            { value: "make", label: texts.sources.make, hint: texts.sourceHints.make },
            { value: "own", label: texts.sources.own, hint: texts.sourceHints.own },
          ]}
        />
        {form.values.source === "own" && (
          <LongTextField
            form={form}
            name="publicKey"
            rows={8}
            label={texts.publicKey}
            hint={texts.publicKeyHint}
            isRequired
          />
        )}
      </FormView>
    </Dialog>
  );
}

function MadeKeyView({
  made,
  onClose,
}: {
  readonly made: MadeKey;
  readonly onClose: () => void;
}): JSX.Element {
  const texts = useTexts(keysTexts);
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
        <Button onClick={onClose}>{texts.done}</Button>
      </div>
    </Dialog>
  );
}

function LostKey({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const texts = useTexts(keysTexts);
  const { close } = useTexts(uiTexts);
  return (
    <Dialog title={texts.lostTitle} onClose={onClose} isFirm>
      <p>{texts.lostText}</p>
      <div class="actions">
        <Button look="first" onClick={onClose}>
          {close}
        </Button>
      </div>
    </Dialog>
  );
}
