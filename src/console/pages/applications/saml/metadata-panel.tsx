import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useClient } from "../../../api/api.ts";
import { ifUnchanged } from "../../../api/call-options.ts";
import { SamlMetadataState } from "../../../../../gen/console/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../../../../gen/console/gatehouse/v1/application_service_pb.ts";
import { useFormats, useTexts } from "../../../texts/use-texts.ts";
import { ActionButton } from "../../../ui/action-button.tsx";
import { Button } from "../../../ui/button.tsx";
import { Code } from "../../../ui/copy-button.tsx";
import { Facts } from "../../../ui/facts.tsx";
import { saveFile } from "../../../ui/save-file.ts";
import type { SamlViewProps } from "../shared/view-props.ts";
import { CertificateFacts, EndpointTable } from "./metadata-tables.tsx";
import { ReplaceMetadataDialog } from "./replace-metadata-dialog.tsx";
import { samlTexts } from "./saml-texts.ts";

/** Shows the metadata of a SAML application: what is in force, when it was fetched, and what is wrong with it. */
export function MetadataPanel(props: SamlViewProps): JSX.Element {
  const { saml } = props;
  const texts = useTexts(samlTexts);
  const { date } = useFormats();
  const names: Readonly<Record<string, string>> = texts.states;
  const hints: Readonly<Record<string, string>> = texts.stateHints;
  const errors: Readonly<Record<string, string>> = texts.errors;
  const { entityId, metadataUrl, metadataError } = saml;
  const state = String(saml.metadataState);
  return (
    <section class="panel">
      <h2>{texts.metadata}</h2>
      <p class="actions">
        <span class={`state ${markOf(saml.metadataState)}`}>{names[state]}</span>
        <span class="hint">{hints[state]}</span>
      </p>
      <Problems {...props} />
      <Facts
        facts={[
          {
            label: texts.theirEntityId,
            value: entityId === "" ? "" : <Code text={entityId} label={texts.theirEntityId} />,
          },
          {
            label: texts.origin,
            value: metadataUrl === "" ? texts.sent : <Code text={metadataUrl} label={texts.metadataUrl} />,
          },
          { label: texts.fetched, value: date(saml.metadataFetchDate) },
          { label: texts.failure, value: errors[metadataError] ?? metadataError },
        ]}
      />
      <EndpointTable endpoints={saml.assertionConsumerServices} />
      <CertificateFacts certificates={saml.serviceProviderCertificates} />
      <Actions {...props} />
    </section>
  );
}

function markOf(state: SamlMetadataState): string {
  return state === SamlMetadataState.READY ? "active" : "locked";
}

/** What the service found, in its words. */
function Problems({ saml }: SamlViewProps): JSX.Element | null {
  const texts = useTexts(samlTexts);
  const { problems, metadataExpired } = saml;
  if (problems.length === 0 && !metadataExpired) return null;
  return (
    <div class="note" role="note">
      {metadataExpired && <p>{texts.expired}</p>}
      {problems.length > 0 && (
        <>
          <p class="note-title">{texts.problems}</p>
          <ul lang="en">
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function Actions({ params, application, saml, mayWrite, onChange, readStored }: SamlViewProps): JSX.Element {
  const texts = useTexts(samlTexts);
  const client = useClient(ApplicationService);
  const [isOpen, setIsOpen] = useState(false);
  const { id, details } = application;
  const { metadataUrl, metadataXml } = saml;
  const request = { projectId: params.project, appId: id, metadataUrl };
  return (
    <div class="actions">
      {mayWrite && metadataUrl !== "" && (
        <ActionButton
          run={() => client.updateSamlConfig(request, ifUnchanged(details))}
          done={texts.askedAgain}
          onDone={onChange}
        >
          {texts.fetchNow}
        </ActionButton>
      )}
      {mayWrite && <Button onClick={() => setIsOpen(true)}>{texts.replace}</Button>}
      {metadataXml.length > 0 && (
        <Button
          look="quiet"
          onClick={() =>
            saveFile({ name: `${id}.xml`, type: "application/samlmetadata+xml", content: metadataXml })
          }
        >
          {texts.download}
        </Button>
      )}
      {isOpen && (
        <ReplaceMetadataDialog
          ids={{ projectId: params.project, appId: id }}
          details={details}
          metadataUrl={metadataUrl}
          onClose={() => setIsOpen(false)}
          onChange={onChange}
          readStored={readStored}
        />
      )}
    </div>
  );
}
