import type { JSX } from "preact";
import { useClient } from "../../../api/api.ts";
import type { RefreshToken } from "../../../../../gen/console/gatehouse/v1/refresh_token_pb.ts";
import { UserService } from "../../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { useFormats, useTexts } from "../../../texts/use-texts.ts";
import { CredentialList } from "../shared/credential-list.tsx";
import { sessionTexts } from "./session-texts.ts";
import type { SessionPanelProps } from "./sessions-panel.tsx";

/** Lists the applications that have lasting access for a person, and takes it from them. */
export function RefreshTokensPanel({ userId, mayWrite, version }: SessionPanelProps): JSX.Element {
  const texts = useTexts(sessionTexts).access;
  const { started } = useTexts(sessionTexts);
  const { date } = useFormats();
  const client = useClient(UserService);
  return (
    <CredentialList<RefreshToken>
      name={texts.title}
      tag="refresh-tokens"
      lead={texts.lead}
      inputs={[client, userId, version]}
      load={async ({ filters: _filters, ...page }) => {
        const answer = await client.listRefreshTokens({ userId, ...page });
        return { ...answer, rows: answer.refreshTokens };
      }}
      columns={[
        { title: texts.client, text: ({ clientId }) => clientId },
        { title: texts.scopes, text: ({ scopes }) => scopes.join(" "), isMinor: true },
        { title: started, text: ({ authDate }) => date(authDate), isMinor: true },
        { title: texts.until, text: ({ expirationDate }) => date(expirationDate) },
      ]}
      idOf={({ id }) => id}
      nameOf={({ clientId }) => texts.name(clientId)}
      detailsOf={({ details }) => details}
      remove={
        mayWrite
          ? ({ id }, options) => client.removeRefreshToken({ userId, tokenId: id }, options)
          : undefined
      }
      empty={texts.empty}
    />
  );
}
