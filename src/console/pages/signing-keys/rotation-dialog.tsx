import type { JSX } from "preact";
import { useClient } from "../../api/api.ts";
import { withKey } from "../../api/call-options.ts";
import { useQuery } from "../../api/use-query.ts";
import {
  type SigningKey,
  SigningKeyState,
  SigningKeyUse,
} from "../../../../gen/console/gatehouse/v1/signing_key_pb.ts";
import {
  RotateSigningKeysRequestSchema,
  SigningKeyService,
} from "../../../../gen/console/gatehouse/v1/signing_key_service_pb.ts";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ChoiceField, type Option } from "../../ui/form/choice-fields.tsx";
import { TextField } from "../../ui/form/fields.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNotify } from "../../ui/notices.tsx";
import { QueryView } from "../../ui/query-view.tsx";
import { signingKeyTexts } from "./texts.ts";

/** Props of the dialog that replaces keys. */
export interface RotationDialogProps {
  /** Which keys. */
  readonly of: "tokens" | "saml";
  readonly onClose: () => void;
  readonly onRotated: () => void;
}

/** Explains how keys can be replaced, and does it. To revoke, the user types a word first. */
export function RotationDialog(props: RotationDialogProps): JSX.Element {
  const { of, onClose } = props;
  const texts = useTexts(signingKeyTexts);
  const client = useClient(SigningKeyService);
  const next = useQuery(async () => {
    const { signingKeys } = await client.listSigningKeys({ pageSize: 1000 });
    return {
      key: signingKeys.find(({ use, state }) => use === SigningKeyUse.SAML && state === SigningKeyState.NEXT),
    };
  }, [client]);
  return (
    <Dialog title={of === "tokens" ? texts.rotateTokens : texts.rotateSaml} onClose={onClose} isWide>
      <QueryView query={next}>{({ key }) => <RotationForm {...props} next={key} />}</QueryView>
    </Dialog>
  );
}

/** `next` is the key for SAML that is published, but does not sign yet. */
function RotationForm({
  of,
  next,
  onClose,
  onRotated,
}: RotationDialogProps & { readonly next: SigningKey | undefined }): JSX.Element {
  const texts = useTexts(signingKeyTexts);
  const notify = useNotify();
  const client = useClient(SigningKeyService);
  const { word } = texts;
  const form = useForm({
    request: RotateSigningKeysRequestSchema,
    of,
    initial: { how: "gradual", word: "" },
    check: ({ how, word: typed }): Record<string, string> =>
      how === "revoke" && typed.trim() !== word ? { word: texts.wrongWord(word) } : {},
    async submit({ how }, key) {
      const use = of === "tokens" ? SigningKeyUse.OIDC : SigningKeyUse.SAML;
      await client.rotateSigningKeys({ revokeOld: how === "revoke", use }, withKey(key));
      const isPublished = of === "saml" && how === "gradual" && next === undefined;
      notify(isPublished ? texts.published1 : texts.done);
      onRotated();
      onClose();
    },
  });
  const isRevoking = form.values.how === "revoke";
  return (
    <FormView form={form} submitText={texts.rotate} onCancel={onClose} isDanger={isRevoking}>
      <ChoiceField form={form} name="how" label={texts.how} options={useWays(of, next)} />
      {isRevoking && <TextField form={form} name="word" label={texts.confirm(word)} isRequired />}
    </FormView>
  );
}

function useWays(of: RotationDialogProps["of"], next: SigningKey | undefined): readonly Option[] {
  const { tokens, saml } = useTexts(signingKeyTexts);
  const { date } = useFormats();
  if (of === "tokens")
    return [
      { value: "gradual", label: tokens.gradual, hint: tokens.gradualHint },
      { value: "revoke", label: tokens.revoke, hint: tokens.revokeHint },
    ];
  const gradual =
    next === undefined
      ? { label: saml.publish, hint: saml.publishHint }
      : { label: saml.sign, hint: saml.signHint(date(next.details?.creationDate)) };
  return [
    { value: "gradual", ...gradual },
    { value: "revoke", label: saml.revoke, hint: saml.revokeHint },
  ];
}
