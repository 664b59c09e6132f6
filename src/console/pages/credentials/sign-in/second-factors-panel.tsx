import type { JSX } from "preact";
import { useClient } from "../../../api/api.ts";
import {
  type SecondFactor,
  SecondFactorState,
  SecondFactorType,
} from "../../../../../gen/console/gatehouse/v1/second_factor_pb.ts";
import { UserService } from "../../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { useFormats, useTexts } from "../../../texts/use-texts.ts";
import { credentialTexts } from "../shared/credential-texts.ts";
import { CredentialList } from "../shared/credential-list.tsx";
import type { SignInPanelProps } from "./passkeys-panel.tsx";
import { signInTexts } from "./sign-in-texts.ts";

/** Lists the second factors of a person: security keys, the authenticator app, and codes that are sent. */
export function SecondFactorsPanel({ userId, mayWrite }: SignInPanelProps): JSX.Element {
  const texts = useTexts(signInTexts);
  const { created } = useTexts(credentialTexts);
  const { date } = useFormats();
  const client = useClient(UserService);
  const kinds = new Map<SecondFactorType, string>([
    [SecondFactorType.TOTP, texts.factors.app],
    [SecondFactorType.EMAIL_CODE, texts.factors.emailCode],
    [SecondFactorType.SMS_CODE, texts.factors.smsCode],
  ]);
  const nameOf = ({ type, name }: SecondFactor): string =>
    kinds.get(type) ?? (name === "" ? texts.factors.key : name);
  return (
    <CredentialList<SecondFactor>
      name={texts.factors.title}
      tag="factors"
      lead={texts.factors.lead}
      inputs={[client, userId]}
      load={async ({ filters: _filters, ...page }) => {
        const answer = await client.listSecondFactors({ userId, ...page });
        return { ...answer, rows: answer.secondFactors };
      }}
      columns={[
        { title: texts.name, text: nameOf },
        {
          title: texts.factors.kind,
          text: ({ type }) => kinds.get(type) ?? texts.factors.key,
          isMinor: true,
        },
        {
          title: texts.state,
          text: ({ state }) => (state === SecondFactorState.READY ? texts.ready : texts.begun),
        },
        { title: texts.domain, text: ({ domain }) => domain, isMinor: true },
        { title: created, text: ({ details }) => date(details?.creationDate), isMinor: true },
      ]}
      idOf={({ id, type }) => `${type}.${id}`}
      nameOf={nameOf}
      detailsOf={({ details }) => details}
      remove={
        mayWrite
          ? ({ id, type }, options) => {
              switch (type) {
                case SecondFactorType.TOTP:
                  return client.removeTotp({ userId }, options);
                case SecondFactorType.EMAIL_CODE:
                case SecondFactorType.SMS_CODE:
                  return client.removeCodeFactor({ userId, codeFactorId: id }, options);
                default:
                  return client.removeU2f({ userId, u2fId: id }, options);
              }
            }
          : undefined
      }
      empty={texts.factors.empty}
    />
  );
}
