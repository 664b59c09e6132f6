import type { JSX } from "preact";
import { useTexts } from "../../../texts/use-texts.ts";
import { Code } from "../../../ui/copy-button.tsx";
import { Facts } from "../../../ui/facts.tsx";
import { samlTexts } from "./saml-texts.ts";
import { OurCertificate } from "./our-certificate.tsx";

/** Shows what a service provider needs to know of us. `startId`: of an application at which a login may begin here. */
export function OurSide({ startId }: { readonly startId?: string | undefined }): JSX.Element {
  const texts = useTexts(samlTexts);
  const base = `${location.origin}/saml/v2`;
  const facts = [
    { label: texts.ourMetadata, value: `${base}/metadata` },
    { label: texts.entityId, value: `${base}/metadata` },
    { label: texts.singleSignOn, value: `${base}/SSO` },
    { label: texts.singleLogout, value: `${base}/SLO` },
    ...(startId === undefined ? [] : [{ label: texts.startUrl, value: `${base}/start/${startId}` }]),
  ];
  return (
    <section class="panel addresses">
      <h2>{texts.ourSide}</h2>
      <p class="hint">{texts.ourSideLead}</p>
      <Facts
        facts={[
          ...facts.map(({ label, value }) => ({ label, value: <Code text={value} label={label} /> })),
          { label: texts.certificate, value: <OurCertificate url={`${base}/certificate`} /> },
        ]}
      />
    </section>
  );
}
