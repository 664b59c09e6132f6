import type { JSX } from "preact";
import { useClient } from "../../../api/api.ts";
import type { IdpLink } from "../../../../../gen/console/gatehouse/v1/idp_link_pb.ts";
import { UserService } from "../../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { useFormats, useTexts } from "../../../texts/use-texts.ts";
import { CredentialList } from "../shared/credential-list.tsx";
import type { SignInPanelProps } from "./passkeys-panel.tsx";
import { signInTexts } from "./sign-in-texts.ts";

/** Lists the identities at identity providers with which a person signs in. */
export function LinksPanel({ userId, mayWrite }: SignInPanelProps): JSX.Element {
  const texts = useTexts(signInTexts).links;
  const { date } = useFormats();
  const client = useClient(UserService);
  const identityOf = ({ externalUsername, externalUserId }: IdpLink): string =>
    externalUsername === "" ? externalUserId : externalUsername;
  return (
    <CredentialList<IdpLink>
      name={texts.title}
      tag="links"
      lead={texts.lead}
      inputs={[client, userId]}
      load={async ({ filters: _filters, ...page }) => {
        const answer = await client.listIdpLinks({ userId, ...page });
        return { ...answer, rows: answer.links };
      }}
      columns={[
        { title: texts.provider, text: ({ idpName }) => idpName },
        { title: texts.identity, text: identityOf },
        { title: texts.subject, text: ({ externalUserId }) => externalUserId, isMinor: true },
        { title: texts.linked, text: ({ details }) => date(details?.creationDate), isMinor: true },
      ]}
      idOf={({ idpId, externalUserId }) => `${idpId} ${externalUserId}`}
      nameOf={(link) => texts.name(link.idpName, identityOf(link))}
      detailsOf={({ details }) => details}
      remove={
        mayWrite
          ? ({ idpId, externalUserId }, options) =>
              client.removeIdpLink({ userId, idpId, externalUserId }, options)
          : undefined
      }
      empty={texts.empty}
    />
  );
}
