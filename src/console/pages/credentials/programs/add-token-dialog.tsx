import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { useClient } from "../../../api/api.ts";
import { withKey } from "../../../api/call-options.ts";
import {
  AddPersonalAccessTokenRequestSchema,
  type AddPersonalAccessTokenResponse,
  UserService,
} from "../../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { DateField, endOfDay } from "../../../ui/form/date-field.tsx";
import { FormView } from "../../../ui/form/form-view.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { useNotify } from "../../../ui/notices.tsx";
import { SecretDialog } from "../../../ui/secret-dialog.tsx";
import { LostSecret } from "../shared/lost-secret.tsx";
import { replaceLost } from "../shared/replace-lost.ts";
import { programTexts } from "./program-texts.ts";

/** Props of the dialogs that add what a program uses. */
export interface AddCredentialProps {
  readonly userId: string;
  readonly onClose: () => void;
  /** Called when it is there; the dialog may still show it. */
  readonly onAdded: () => void;
}

/** Adds a personal access token, and shows it once. */
export function AddTokenDialog({ userId, onClose, onAdded }: AddCredentialProps): JSX.Element {
  const { tokens: texts, expiration, expirationHint } = useTexts(programTexts);
  const notify = useNotify();
  const client = useClient(UserService);
  const [made, setMade] = useState<Pick<AddPersonalAccessTokenResponse, "token" | "tokenId">>();
  const nextKey = useRef(crypto.randomUUID());
  const add = async (lastDay: string, key: string): Promise<void> => {
    const answer = await client.addPersonalAccessToken(
      { userId, expirationDate: endOfDay(lastDay) },
      withKey(key),
    );
    notify(texts.added);
    setMade(answer);
    onAdded();
  };
  const form = useForm({
    request: AddPersonalAccessTokenRequestSchema,
    initial: { expirationDate: "" },
    submit: ({ expirationDate }, key) => add(expirationDate, key),
  });
  if (made === undefined) {
    return (
      <Dialog key="form" title={texts.add} onClose={onClose}>
        <FormView form={form} submitText={texts.add} onCancel={onClose}>
          <DateField form={form} name="expirationDate" label={expiration} hint={expirationHint} />
        </FormView>
      </Dialog>
    );
  }
  if (made.token === "") {
    return (
      <LostSecret
        key="lost"
        text={texts.lost}
        renew={() =>
          replaceLost(
            {
              remove: () => client.removePersonalAccessToken({ userId, tokenId: made.tokenId }),
              add: (key) => add(form.values.expirationDate, key),
            },
            nextKey,
          )
        }
        onClose={onClose}
      />
    );
  }
  return (
    <SecretDialog
      key="secret"
      title={texts.madeTitle}
      secrets={[{ label: texts.token, value: made.token }]}
      onClose={onClose}
    />
  );
}
