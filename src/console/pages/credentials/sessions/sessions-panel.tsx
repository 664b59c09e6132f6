import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useClient } from "../../../api/api.ts";
import { ifUnchanged } from "../../../api/call-options.ts";
import { toEnum } from "../../../api/enums.ts";
import {
  type Session,
  SessionMethod,
  SessionState,
} from "../../../../../gen/console/gatehouse/v1/session_pb.ts";
import { SessionService } from "../../../../../gen/console/gatehouse/v1/session_service_pb.ts";
import { useFormats, useTexts } from "../../../texts/use-texts.ts";
import { ActionDialog } from "../../../ui/action-dialog.tsx";
import { Button } from "../../../ui/button.tsx";
import { List } from "../../../ui/list/list.tsx";
import { nameOfBrowser } from "./browser-name.ts";
import { sessionTexts } from "./session-texts.ts";

/** Props of the panels of the sessions' page. */
export interface SessionPanelProps {
  readonly userId: string;
  readonly mayWrite: boolean;
  /** Another number after all sessions were ended. */
  readonly version: number;
}

const methods = new Map<SessionMethod, keyof (typeof sessionTexts)["en"]["methods"]>([
  [SessionMethod.PASSWORD, "password"],
  [SessionMethod.U2F, "securityKey"],
  [SessionMethod.PASSKEY, "passkey"],
  [SessionMethod.TOTP, "app"],
  [SessionMethod.RECOVERY_CODE, "recoveryCode"],
  [SessionMethod.IDP, "provider"],
  [SessionMethod.EMAIL_CODE, "emailCode"],
  [SessionMethod.SMS_CODE, "smsCode"],
]);

/** Lists the sessions of a person, also those that are over, and ends one. */
export function SessionsPanel({ userId, mayWrite, version }: SessionPanelProps): JSX.Element {
  const texts = useTexts(sessionTexts);
  const { date } = useFormats();
  const client = useClient(SessionService);
  const [ending, setEnding] = useState<{ readonly session: Session; reload(): void }>();
  const stateOf = ({ state }: Session): string =>
    state === SessionState.ACTIVE ? texts.active : texts.ended;
  const browserOf = ({ userAgent }: Session): string =>
    userAgent === "" ? texts.unnamed : nameOfBrowser(userAgent);
  const proofsOf = ({ checks }: Session): string =>
    checks
      .flatMap(({ method }) => {
        const name = methods.get(method);
        return name === undefined ? [] : [texts.methods[name]];
      })
      .join(", ");
  return (
    <section class="panel">
      <h2>{texts.title}</h2>
      <p class="hint">{texts.lead}</p>
      <List<Session>
        name={texts.title}
        inputs={[client, userId, version]}
        load={async ({ filters, ...page }) => {
          const state = toEnum(SessionState, filters["state"]);
          const answer = await client.listSessions({ ...page, userId, state });
          return { ...answer, rows: answer.sessions };
        }}
        columns={[
          { title: texts.browser, text: browserOf },
          {
            title: texts.state,
            text: stateOf,
            render: (session) => (
              <span class={session.state === SessionState.ACTIVE ? "state active" : "state inactive"}>
                {stateOf(session)}
              </span>
            ),
            isMinor: true,
          },
          { title: texts.address, text: ({ remoteAddress }) => remoteAddress, isMinor: true },
          { title: texts.started, text: ({ details }) => date(details?.creationDate), isMinor: true },
          {
            title: texts.proved,
            text: proofsOf,
            isMinor: true,
          },
          { title: texts.until, text: ({ expirationDate }) => date(expirationDate), isMinor: true },
        ]}
        filters={[
          {
            name: "state",
            label: texts.state,
            options: [
              { value: String(SessionState.ACTIVE), label: texts.active },
              { value: String(SessionState.TERMINATED), label: texts.ended },
            ],
          },
        ]}
        idOf={({ id }) => id}
        rowActions={
          mayWrite
            ? (session, reload) =>
                session.state === SessionState.ACTIVE && (
                  <Button
                    look="quiet"
                    label={`${texts.end}: ${texts.name(browserOf(session), date(session.details?.creationDate))}`}
                    onClick={() => setEnding({ session, reload })}
                  >
                    {texts.end}
                  </Button>
                )
            : undefined
        }
        empty={texts.empty}
      />
      {ending !== undefined && (
        <ActionDialog
          title={texts.endTitle}
          text={`${texts.name(browserOf(ending.session), date(ending.session.details?.creationDate))}. ${texts.endText}`}
          actionText={texts.end}
          done={texts.endDone}
          run={() =>
            client.terminateSession({ sessionId: ending.session.id }, ifUnchanged(ending.session.details))
          }
          onClose={() => {
            setEnding(undefined);
            ending.reload(); // it may have changed, which is why it could not be ended
          }}
          onDone={() => undefined}
          isDanger
        />
      )}
    </section>
  );
}
