import type { JSX } from "preact";
import { type Hook, HookKind } from "../../../../gen/console/gatehouse/v1/hook_pb.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { ChoiceField } from "../../ui/form/choice-fields.tsx";
import { CheckField, LinesField, TextField } from "../../ui/form/fields.tsx";
import type { Form } from "../../ui/form/use-form.ts";
import { hookTexts } from "./texts.ts";

/** The settings of a hook as fields hold them. */
export type HookValues = Readonly<{
  name: string;
  /** The number of the kind, which never changes. */
  kind: string;
  url: string;
  /** A number, as a text. */
  timeoutMs: string;
  failClosed: boolean;
  metadataKeys: readonly string[];
  signingSecret: string;
}>;

const offeredKinds = [
  HookKind.BEFORE_TOKEN,
  HookKind.BEFORE_REGISTRATION,
  HookKind.AFTER_EXTERNAL_LOGIN,
] as const;

/** Returns the keys of metadata of a form; only a hook that is asked after logins at providers has any. */
export function readKeys({ kind, metadataKeys }: Pick<HookValues, "kind" | "metadataKeys">): string[] {
  return kind === String(HookKind.AFTER_EXTERNAL_LOGIN) ? [...metadataKeys] : [];
}

/** Returns the settings of a hook, or those of a new one. */
export function toHookValues(hook?: Hook): HookValues {
  const {
    name = "",
    kind = HookKind.BEFORE_TOKEN,
    url = "",
    timeoutMs = 500,
    failClosed = false,
    metadataKeys = [],
  } = hook ?? {};
  const texts = { name, kind: String(kind), url, timeoutMs: String(timeoutMs), signingSecret: "" };
  return { ...texts, failClosed, metadataKeys };
}

/** Fields for the settings of a hook. */
export function HookFields({
  form,
  isNew = false,
}: {
  readonly form: Form<HookValues>;
  readonly isNew?: boolean;
}): JSX.Element {
  const texts = useTexts(hookTexts);
  return (
    <>
      <TextField form={form} name="name" label={texts.name} hint={texts.nameHint} hasFocus={isNew} />
      {isNew && (
        <ChoiceField
          form={form}
          name="kind"
          label={texts.kind}
          options={offeredKinds.map((kind) => ({
            value: String(kind),
            label: texts.kinds[kind] ?? "",
            hint: texts.kindHints[kind] ?? "",
          }))}
        />
      )}
      {form.values.kind === String(HookKind.AFTER_EXTERNAL_LOGIN) && (
        <LinesField form={form} name="metadataKeys" label={texts.keys} hint={texts.keysHint} />
      )}
      <TextField form={form} name="url" label={texts.url} hint={texts.urlHint} />
      <TextField form={form} name="timeoutMs" label={texts.timeout} hint={texts.timeoutHint} />
      <CheckField form={form} name="failClosed" label={texts.failClosed} hint={texts.failClosedHint} />
    </>
  );
}

/** Reads the time limit of a form: what is no number is too much, so that the service refuses it. */
export function readTimeout({ timeoutMs }: Pick<HookValues, "timeoutMs">): number {
  return /^\d{1,9}$/.test(timeoutMs.trim()) ? Number(timeoutMs) : 999_999_999;
}
