import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useApi, useClient } from "../../api/api.ts";
import { type SigningKey, SigningKeyState } from "../../../../gen/console/gatehouse/v1/signing_key_pb.ts";
import { SigningKeyService } from "../../../../gen/console/gatehouse/v1/signing_key_service_pb.ts";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { Button } from "../../ui/button.tsx";
import { toPem } from "../../ui/certificate.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { List } from "../../ui/list/list.tsx";
import type { Column } from "../../ui/list/list-table.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { RotationDialog } from "./rotation-dialog.tsx";
import { signingKeyTexts } from "./texts.ts";

/** Lists the keys of the instance, and replaces them. */
export function SigningKeysPage(): JSX.Element {
  const texts = useTexts(signingKeyTexts);
  const { permissions } = useApi();
  const client = useClient(SigningKeyService);
  const [rotated, setRotated] = useState<"tokens" | "saml">();
  const [version, setVersion] = useState(0);
  const columns = useColumns();
  const actions = permissions.can("signing_key.write", {}) && (
    <>
      <Button onClick={() => setRotated("tokens")}>{texts.rotateTokens}</Button>
      <Button onClick={() => setRotated("saml")}>{texts.rotateSaml}</Button>
    </>
  );
  return (
    <PageFrame title={texts.title} lead={texts.lead} actions={actions}>
      <List<SigningKey>
        name={texts.title}
        inputs={[version]}
        load={async ({ pageSize, pageToken, countTotal }) => {
          const answer = await client.listSigningKeys({ pageSize, pageToken, countTotal });
          return { ...answer, rows: answer.signingKeys };
        }}
        columns={columns}
        idOf={({ id }) => id}
        empty={{ title: texts.emptyTitle, text: texts.emptyText }}
      />
      {rotated !== undefined && (
        <RotationDialog
          of={rotated}
          onClose={() => setRotated(undefined)}
          onRotated={() => setVersion(version + 1)}
        />
      )}
    </PageFrame>
  );
}

function useColumns(): readonly Column<SigningKey>[] {
  const texts = useTexts(signingKeyTexts);
  const { date } = useFormats();
  const uses: Readonly<Record<string, string>> = texts.uses;
  const algorithms: Readonly<Record<string, string>> = texts.algorithms;
  const states: Readonly<Record<string, string>> = texts.states;
  return [
    {
      title: texts.use,
      text: ({ use, algorithm }) => `${uses[String(use)]} (${algorithms[String(algorithm)]})`,
    },
    {
      title: texts.state,
      text: ({ state }) => states[String(state)] ?? "",
      render: ({ state }) => (
        <span class={`state ${state === SigningKeyState.ACTIVE ? "active" : "inactive"}`}>
          {states[String(state)]}
        </span>
      ),
    },
    { title: texts.id, text: ({ id }) => id, render: ({ id }) => <code>{id}</code>, isMinor: true },
    { title: texts.created, text: ({ details }) => date(details?.creationDate), isMinor: true },
    { title: texts.published, text: ({ expirationDate }) => date(expirationDate), isMinor: true },
    {
      title: texts.certificate,
      text: (key) => pemOf(key),
      render: (key) => {
        const pem = pemOf(key);
        return pem === "" ? "" : <CopyButton text={pem} label={texts.certificateOf(key.id)} />;
      },
    },
  ];
}

/** Only keys for SAML have a certificate. */
function pemOf({ certificate }: SigningKey): string {
  return certificate.length === 0 ? "" : toPem(certificate);
}
