import type { JSX } from "preact";
import type { Hook } from "../../../../gen/console/gatehouse/v1/hook_pb.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { CheckField, TextField } from "../../ui/form/fields.tsx";
import type { Form } from "../../ui/form/use-form.ts";
import { hookTexts } from "./texts.ts";

/** The settings of a hook as fields hold them. */
export type HookValues = Readonly<{
  name: string;
  url: string;
  /** A number, as a text. */
  timeoutMs: string;
  failClosed: boolean;
  signingSecret: string;
}>;

/** Returns the settings of a hook, or those of a new one. */
export function toHookValues(hook?: Hook): HookValues {
  const { name = "", url = "", timeoutMs = 500, failClosed = false } = hook ?? {};
  return { name, url, timeoutMs: String(timeoutMs), failClosed, signingSecret: "" };
}

/** Fields for the settings of a hook. */
export function HookFields({
  form,
  hasFocus = false,
}: {
  readonly form: Form<HookValues>;
  readonly hasFocus?: boolean;
}): JSX.Element {
  const texts = useTexts(hookTexts);
  return (
    <>
      <TextField form={form} name="name" label={texts.name} hint={texts.nameHint} hasFocus={hasFocus} />
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
