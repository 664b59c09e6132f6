import type { JSX } from "preact";
import { useClient } from "../../../api/api.ts";
import { ifUnchanged } from "../../../api/call-options.ts";
import type { Application } from "../../../../../gen/console/gatehouse/v1/application_pb.ts";
import {
  ApplicationService,
  UpdateSamlConfigRequestSchema,
} from "../../../../../gen/console/gatehouse/v1/application_service_pb.ts";
import type { ObjectDetails } from "../../../../../gen/console/gatehouse/v1/object_pb.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { FormView } from "../../../ui/form/form-view.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { useNotify } from "../../../ui/notices.tsx";
import { uiTexts } from "../../../ui/texts.ts";
import { beginSource, findMissingSource, type SourceValues, toSourceRequest } from "./metadata-source.ts";
import { samlTexts } from "./saml-texts.ts";
import { SourceFields } from "./source-fields.tsx";

/** Props of the dialog that replaces metadata. */
export interface ReplaceMetadataDialogProps {
  readonly ids: { readonly projectId: string; readonly appId: string };
  readonly details: ObjectDetails | undefined;
  readonly metadataUrl: string;
  readonly onClose: () => void;
  readonly onChange: () => Promise<void>;
  /** Reads the application again, after somebody else has changed it. */
  readonly readStored: () => Promise<Application>;
}

/** Replaces the metadata of a SAML application: by another URL, or by a document. */
export function ReplaceMetadataDialog(props: ReplaceMetadataDialogProps): JSX.Element {
  const { ids, details, metadataUrl, onClose, onChange, readStored } = props;
  const texts = useTexts(samlTexts);
  const { required } = useTexts(uiTexts).form;
  const notify = useNotify();
  const client = useClient(ApplicationService);
  const form = useForm<SourceValues>({
    request: UpdateSamlConfigRequestSchema,
    initial: beginSource(metadataUrl),
    version: details,
    check(values): Record<string, string> {
      const missing = findMissingSource(values);
      return missing === undefined ? {} : { [missing]: required };
    },
    async submit(values, _key, version) {
      await client.updateSamlConfig({ ...ids, ...toSourceRequest(values) }, ifUnchanged(version));
      notify(texts.replaced);
      onClose();
      await onChange();
    },
    async readStored() {
      const { config, details: version } = await readStored();
      return {
        values: beginSource(config.case === "saml" ? config.value.metadataUrl : metadataUrl),
        version,
      };
    },
  });
  return (
    <Dialog title={texts.replace} onClose={onClose} isWide>
      <FormView form={form} submitText={texts.replace} onCancel={onClose}>
        <SourceFields form={form} />
      </FormView>
    </Dialog>
  );
}
