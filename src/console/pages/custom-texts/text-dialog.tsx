import type { DescMessage } from "@bufbuild/protobuf";
import type { JSX } from "preact";
import type { CustomTexts } from "../../../../gen/console/gatehouse/v1/custom_text_pb.ts";
import type { ObjectVersion } from "../../api/call-options.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { LongTextField } from "../../ui/form/fields.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNotify } from "../../ui/notices.tsx";
import type { ShownText } from "./find-texts.ts";
import { customTexts } from "./texts.ts";

/** The field of the form, where violations of the request are: `texts[3].text`. */
interface TextValues extends Readonly<Record<string, string>> {
  readonly "texts.text": string;
}

/** Lets the user change one text, with its default above. */
export function TextDialog({
  request,
  language,
  text: { key, defaultText, text },
  version,
  save,
  read,
  onClose,
}: {
  readonly request: DescMessage;
  readonly language: string;
  readonly text: ShownText;
  readonly version: ObjectVersion | undefined;
  save(text: string, version: ObjectVersion | undefined): Promise<void>;
  read(): Promise<CustomTexts>;
  readonly onClose: () => void;
}): JSX.Element {
  const texts = useTexts(customTexts);
  const notify = useNotify();
  const form = useForm<TextValues>({
    request,
    of: `${language} ${key}`,
    initial: { "texts.text": text },
    version,
    async submit(values, _key, changed) {
      await save(values["texts.text"], changed);
      notify(values["texts.text"] === "" ? texts.wasReset : texts.saved);
      onClose();
    },
    async readStored() {
      const { texts: all, details } = await read();
      const now = all.find((each) => each.key === key)?.text ?? "";
      return { values: { "texts.text": now }, version: details };
    },
  });
  const placeholders = [...new Set(defaultText.match(/\{\w+\}/g))];
  return (
    <Dialog title={texts.changeOf} onClose={onClose} isWide>
      <p>
        <code>{key}</code>
      </p>
      <h3>{texts.defaultText}</h3>
      <p class="custom-text" lang={language} dir="auto">
        {defaultText}
      </p>
      <FormView form={form} isChange onCancel={onClose}>
        <LongTextField
          form={form}
          name="texts.text"
          label={texts.text}
          hint={placeholders.length === 0 ? texts.plainHint : texts.textHint(placeholders.join(", "))}
          rows={Math.min(12, 2 + defaultText.split("\n").length)}
        />
      </FormView>
    </Dialog>
  );
}
