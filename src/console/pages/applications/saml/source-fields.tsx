import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { useTexts } from "../../../texts/use-texts.ts";
import { ChoiceField } from "../../../ui/form/choice-fields.tsx";
import { LongTextField, TextField } from "../../../ui/form/fields.tsx";
import type { Form } from "../../../ui/form/use-form.ts";
import type { SourceValues } from "./metadata-source.ts";
import { samlTexts } from "./saml-texts.ts";

/** Asks where the metadata comes from: a URL, or a document that is pasted or chosen as a file. */
export function SourceFields({ form }: { readonly form: Form<SourceValues> }): JSX.Element {
  const texts = useTexts(samlTexts);
  const fileId = useId();
  return (
    <>
      <ChoiceField
        form={form}
        name="source"
        label={texts.source}
        options={[
          { value: "url", label: texts.sources.url, hint: texts.sourceHints.url },
          { value: "document", label: texts.sources.document, hint: texts.sourceHints.document },
        ]}
      />
      {form.values.source === "url" ? (
        <TextField
          form={form}
          name="metadataUrl"
          type="url"
          label={texts.metadataUrl}
          hint={texts.metadataUrlHint}
          isRequired
        />
      ) : (
        <>
          <LongTextField
            form={form}
            name="metadataXml"
            rows={8}
            label={texts.metadataXml}
            hint={texts.metadataXmlHint}
            isRequired
          />
          <div class="field">
            <label for={fileId}>{texts.file}</label>
            <input
              id={fileId}
              type="file"
              accept=".xml,application/xml,text/xml,application/samlmetadata+xml"
              onChange={(event) => {
                const file = event.currentTarget.files?.[0];
                void file?.text().then((text) => form.set("metadataXml", text));
              }}
            />
          </div>
        </>
      )}
    </>
  );
}
