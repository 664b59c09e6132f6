import { type DescMessage, equals } from "@bufbuild/protobuf";
import type { CallOptions } from "@connectrpc/connect";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useCan } from "../../api/api.ts";
import { ifUnchanged } from "../../api/call-options.ts";
import { type CallProblem, readProblem } from "../../api/call-problem.ts";
import {
  type Label,
  type LabelImageKind,
  type LabelPolicy,
  LabelSchema,
} from "../../../../gen/console/gatehouse/v1/label_policy_pb.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNotify } from "../../ui/notices.tsx";
import { BrandingFields, useBrandingCheck } from "./branding-form.tsx";
import { toBrandingRequest, toBrandingValues } from "./branding-values.ts";
import { ImageFields } from "./image-fields.tsx";
import { Preview } from "./preview.tsx";
import { brandingTexts } from "./texts.ts";

/** Props of the view of a branding. */
export interface BrandingViewProps {
  readonly request: DescMessage;
  readonly policy: LabelPolicy;
  /** Whether the look of the instance is shown, because the organization has none. */
  readonly isInherited: boolean;
  /** Default: it is of an organization. */
  readonly isOfInstance?: boolean;
  readonly read: () => Promise<LabelPolicy>;
  readonly onChange: () => Promise<void>;
  readonly calls: {
    update(request: ReturnType<typeof toBrandingRequest>, options: CallOptions): Promise<unknown>;
    setImage(request: { kind: LabelImageKind; image: Uint8Array }): Promise<unknown>;
    activate(options: CallOptions): Promise<unknown>;
  };
}

/** Shows a branding with its preview, and lets people change its draft and make it live. */
export function BrandingView(props: BrandingViewProps): JSX.Element {
  const { policy, isInherited, isOfInstance = false, onChange, calls } = props;
  const texts = useTexts(brandingTexts);
  const mayWrite = useCan()("policy.write");
  const draft = draftOf(policy);
  const isSame = policy.label !== undefined && equals(LabelSchema, policy.label, draft);
  // A draft of an organization that looks like the instance is not live either.
  const isLive = isSame && (isOfInstance || !policy.isDefault);
  const { form, refusal } = useBrandingForm(props);
  return (
    <>
      <p>{isInherited ? texts.inherited : isLive ? texts.live : texts.drafted}</p>
      {mayWrite && policy.draft !== undefined && !isLive && (
        <div class="actions">
          <ActionButton
            look="first"
            done={texts.activated}
            run={() => calls.activate(ifUnchanged(policy.details))}
            onDone={onChange}
          >
            {texts.activate}
          </ActionButton>
        </div>
      )}
      {mayWrite && (
        <>
          <Preview
            path={policy.previewPath}
            values={form.values}
            version={String(policy.details?.sequence ?? "")}
          />
          <FormView form={form} isChange>
            <BrandingFields form={form} refusal={refusal} />
          </FormView>
          <ImageFields
            draft={draft}
            save={async (kind, image) => {
              await calls.setImage({ kind, image });
              await onChange();
            }}
          />
        </>
      )}
    </>
  );
}

function draftOf({ draft, label }: LabelPolicy): Label {
  const found = draft ?? label;
  if (found === undefined) throw new Error("the answer has no look");
  return found;
}

function useBrandingForm({ request, policy, isInherited, read, onChange, calls }: BrandingViewProps) {
  const texts = useTexts(brandingTexts);
  const notify = useNotify();
  const [refusal, setRefusal] = useState<CallProblem>();
  const form = useForm({
    request,
    initial: toBrandingValues(draftOf(policy)),
    version: isInherited ? undefined : policy.details,
    check: useBrandingCheck(),
    async submit(values, _key, version) {
      const options = version === undefined ? {} : ifUnchanged(version);
      await calls.update(toBrandingRequest(values), options).catch((error: unknown) => {
        setRefusal(readProblem(error));
        throw error;
      });
      notify(texts.saved);
      await onChange();
    },
    async readStored() {
      const stored = await read();
      await onChange();
      return { values: toBrandingValues(draftOf(stored)), version: stored.details };
    },
  });
  return { form, refusal };
}
