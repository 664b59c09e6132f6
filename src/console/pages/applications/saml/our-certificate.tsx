import type { JSX } from "preact";
import { useApi, useClient } from "../../../api/api.ts";
import { useQuery } from "../../../api/use-query.ts";
import { SigningKeyState, SigningKeyUse } from "../../../../../gen/console/gatehouse/v1/signing_key_pb.ts";
import { SigningKeyService } from "../../../../../gen/console/gatehouse/v1/signing_key_service_pb.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { toPem } from "../../../ui/certificate.ts";
import { Code, CopyButton } from "../../../ui/copy-button.tsx";
import { samlTexts } from "./saml-texts.ts";

/** Shows where our certificate is. Only users who may read the keys of the instance get it here; others get it at the URL. */
export function OurCertificate({ url }: { readonly url: string }): JSX.Element {
  const texts = useTexts(samlTexts);
  const { permissions } = useApi();
  return (
    <>
      <Code text={url} label={texts.certificate} />
      {permissions.can("signing_key.read", {}) && <CopyPem />}
    </>
  );
}

/** Copies the certificate of the key that signs now. Nothing is shown while there is none. */
function CopyPem(): JSX.Element | null {
  const texts = useTexts(samlTexts);
  const client = useClient(SigningKeyService);
  const { data: pem } = useQuery(async () => {
    const { signingKeys } = await client.listSigningKeys({ pageSize: 1000 });
    const active = signingKeys.find(
      ({ use, state }) => use === SigningKeyUse.SAML && state === SigningKeyState.ACTIVE,
    );
    return active === undefined ? undefined : toPem(active.certificate);
  }, [client]);
  return pem === undefined ? null : (
    <p>
      PEM <CopyButton text={pem} label={`${texts.certificate} (PEM)`} />
    </p>
  );
}
