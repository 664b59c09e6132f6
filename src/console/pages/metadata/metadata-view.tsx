import type { CallOptions } from "@connectrpc/connect";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Metadata } from "../../../../gen/console/gatehouse/v1/metadata_pb.ts";
import { SetUserMetadataRequestSchema } from "../../../../gen/console/gatehouse/v1/metadata_service_pb.ts";
import type { ListDetails, Removed } from "../../../../gen/console/gatehouse/v1/object_pb.ts";
import { ifUnchanged, withKey } from "../../api/call-options.ts";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { LongTextField, TextField } from "../../ui/form/fields.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { List } from "../../ui/list/list.tsx";
import { useNotify } from "../../ui/notices.tsx";
import { RemovalDialog } from "../../ui/removal-dialog.tsx";
import { uiTexts } from "../../ui/texts.ts";
import { toBytes, toShownBase64, toText } from "./shown-value.ts";
import { metadataTexts } from "./texts.ts";

/** A key and the bytes that it gets. */
interface Item {
  readonly key: string;
  readonly value: Uint8Array<ArrayBuffer>;
}

/** The calls about the metadata of one object. */
interface MetadataCalls {
  list(page: {
    readonly pageSize: number;
    readonly pageToken: string;
    readonly countTotal: boolean;
  }): Promise<{
    readonly details?: ListDetails | undefined;
    readonly metadata: readonly Metadata[];
    readonly nextPageToken: string;
  }>;
  get(key: string): Promise<{ readonly metadata?: Metadata | undefined }>;
  set(item: Item, options: CallOptions): Promise<unknown>;
  remove(key: string, options: CallOptions): Promise<{ readonly removed: readonly Removed[] }>;
}

/** Props of the metadata of one object. */
export interface MetadataViewProps {
  readonly calls: MetadataCalls;
  readonly mayWrite: boolean;
}

type Open =
  | { readonly kind: "set"; readonly entry?: Metadata }
  | { readonly kind: "remove"; readonly entries: readonly Metadata[] };

/** Lists the metadata of an object; sets keys, and removes them. Values that are no text are shown in Base64. */
export function MetadataView({ calls, mayWrite }: MetadataViewProps): JSX.Element {
  const texts = useTexts(metadataTexts);
  const shared = useTexts(uiTexts);
  const { date, number } = useFormats();
  const [open, setOpen] = useState<Open>();
  const [version, setVersion] = useState(0);
  const close = (): void => setOpen(undefined);
  const done = (): void => {
    close();
    setVersion(version + 1);
  };
  const set = mayWrite && (
    <Button look="first" onClick={() => setOpen({ kind: "set" })}>
      {texts.set}
    </Button>
  );
  const showValue = ({ value }: Metadata): string => toText(value) ?? texts.bytes(toShownBase64(value));
  const changeAction = (entry: Metadata): JSX.Element => (
    <Button
      look="quiet"
      label={`${texts.change} ${entry.key}`}
      onClick={() => setOpen({ kind: "set", entry })}
    >
      {texts.change}
    </Button>
  );
  return (
    <>
      <p class="hint list-head">{texts.lead}</p>
      {mayWrite && <div class="actions">{set}</div>}
      <List
        name={texts.title}
        load={async ({ filters: _none, ...page }) => {
          const answer = await calls.list(page);
          return { ...answer, rows: [...answer.metadata] };
        }}
        inputs={[version]}
        columns={[
          { title: texts.key, text: ({ key }) => key },
          { title: texts.value, text: showValue },
          { title: texts.changed, text: ({ details }) => date(details?.changeDate), isMinor: true },
        ]}
        idOf={({ key }) => key}
        rowActions={mayWrite ? changeAction : undefined}
        bulk={
          mayWrite
            ? [
                {
                  label: shared.remove,
                  isDanger: true,
                  run: (entries) => setOpen({ kind: "remove", entries }),
                },
              ]
            : []
        }
        empty={{ title: texts.emptyTitle, text: texts.emptyText }}
      />
      {open?.kind === "set" && <SetDialog calls={calls} entry={open.entry} onClose={close} onDone={done} />}
      {open?.kind === "remove" && (
        <RemovalDialog
          items={open.entries.map(({ key, details }) => ({ id: key, name: key, details }))}
          several={texts.several(number(open.entries.length))}
          remove={({ id }, options) => calls.remove(id, options)}
          onClose={close}
          onRemoved={done}
        />
      )}
    </>
  );
}

function SetDialog({
  calls,
  entry,
  onClose,
  onDone,
}: {
  readonly calls: MetadataCalls;
  readonly entry: Metadata | undefined;
  readonly onClose: () => void;
  readonly onDone: () => void;
}): JSX.Element {
  const texts = useTexts(metadataTexts);
  const notify = useNotify();
  const valueOf = (of: Metadata | undefined): string => (of === undefined ? "" : (toText(of.value) ?? ""));
  const form = useForm({
    request: SetUserMetadataRequestSchema, // the rules of the others are the same
    of: entry?.key ?? "",
    initial: { key: entry?.key ?? "", value: valueOf(entry) },
    version: entry?.details,
    async submit({ key, value }, sent, version) {
      const options = entry === undefined ? withKey(sent) : ifUnchanged(version);
      await calls.set({ key, value: toBytes(value) }, options);
      notify(texts.saved(key));
      onDone();
    },
    async readStored() {
      const key = entry?.key ?? "";
      const { metadata } = await calls.get(key);
      return { values: { key, value: valueOf(metadata) }, version: metadata?.details };
    },
  });
  const isNew = entry === undefined;
  return (
    <Dialog title={isNew ? texts.set : texts.changeTitle(entry.key)} onClose={onClose}>
      <FormView form={form} isChange={!isNew} submitText={isNew ? texts.set : undefined} onCancel={onClose}>
        {isNew && <TextField form={form} name="key" label={texts.key} hint={texts.keyHint} hasFocus />}
        <LongTextField form={form} name="value" label={texts.value} hint={texts.valueHint} />
      </FormView>
    </Dialog>
  );
}
