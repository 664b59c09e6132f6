import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { JSX } from "preact";
import type {
  AssertionConsumerService,
  SamlCertificate,
} from "../../../../../gen/console/gatehouse/v1/application_pb.ts";
import { useFormats, useTexts } from "../../../texts/use-texts.ts";
import { splitFingerprint } from "../../../ui/certificate.ts";
import { Facts } from "../../../ui/facts.tsx";
import { samlTexts } from "./saml-texts.ts";

/** The endpoints at which an application receives assertions. */
export function EndpointTable({
  endpoints,
}: {
  readonly endpoints: readonly AssertionConsumerService[];
}): JSX.Element | null {
  const texts = useTexts(samlTexts);
  if (endpoints.length === 0) return null;
  return (
    <div class="table-frame" role="region" aria-label={texts.endpoints} tabIndex={0}>
      <table>
        <caption>{texts.endpoints}</caption>
        <thead>
          <tr>
            <th scope="col">{texts.location}</th>
            <th scope="col">{texts.binding}</th>
          </tr>
        </thead>
        <tbody>
          {endpoints.map(({ location, binding, index, isDefault }) => (
            <tr key={index}>
              <td>
                {location} {isDefault && <span class="hint">({texts.isDefault})</span>}
              </td>
              <td>{binding.split(":").at(-1)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The keys in the metadata of an application, with the dates of their certificates. */
export function CertificateFacts({
  certificates,
}: {
  readonly certificates: readonly SamlCertificate[];
}): JSX.Element | null {
  const texts = useTexts(samlTexts);
  const { date } = useFormats();
  const uses: Readonly<Record<string, string>> = texts.uses;
  if (certificates.length === 0) return null;
  return (
    <>
      <h3>{texts.certificates}</h3>
      {certificates.map(({ use, fingerprintSha256, notAfter, keyType }) => {
        const end = date(notAfter);
        const isPast = notAfter !== undefined && timestampDate(notAfter) < new Date();
        const validity = isPast ? texts.past(end) : end;
        return (
          <Facts
            key={`${use}${fingerprintSha256}`}
            facts={[
              { label: texts.certificateUse, value: uses[use] ?? use },
              { label: texts.keyType, value: keyType },
              { label: texts.notAfter, value: notAfter === undefined ? texts.noEnd : validity },
              {
                label: texts.fingerprint,
                value: <code class="small">{splitFingerprint(fingerprintSha256)}</code>,
              },
            ]}
          />
        );
      })}
    </>
  );
}
