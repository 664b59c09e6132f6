import type { CallOptions } from "@connectrpc/connect";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type {
  ClaimMapping,
  ClaimMappings,
  StoredClaimMapping,
} from "../../../../gen/console/gatehouse/v1/claim_mapping_pb.ts";
import { ifUnchanged } from "../../api/call-options.ts";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { Button } from "../../ui/button.tsx";
import type { Column } from "../../ui/list/list-table.tsx";
import { List } from "../../ui/list/list.tsx";
import { useNotify } from "../../ui/notices.tsx";
import { ClaimDialog, type MappingInit } from "./claim-dialog.tsx";
import { claimTexts } from "./texts.ts";

/** The calls about the mappings of one object. */
export interface ClaimCalls {
  get(): Promise<ClaimMappings | undefined>;
  set(mappings: MappingInit[], options: CallOptions): Promise<unknown>;
}

/** Lists the claims of an object; adds, changes and removes them. */
export function ClaimsView({
  calls,
  mayWrite,
  onChange,
}: {
  readonly calls: ClaimCalls;
  readonly mayWrite: boolean;
  /** Called after each change. */
  readonly onChange?: () => void;
}): JSX.Element {
  const texts = useTexts(claimTexts);
  const columns = useColumns();
  const notify = useNotify();
  const [open, setOpen] = useState<{ readonly mapping: ClaimMapping | undefined }>();
  const [version, setVersion] = useState(0);
  const replace = async (
    change: (mappings: readonly MappingInit[]) => readonly MappingInit[],
  ): Promise<void> => {
    const stored = await calls.get();
    const mappings = (stored?.mappings ?? []).flatMap(({ mapping }) => mapping ?? []);
    await calls.set([...change(mappings)], ifUnchanged(stored?.details));
    notify(texts.saved);
    setOpen(undefined);
    setVersion(version + 1);
    onChange?.();
  };
  const without = (name: string) => (mappings: readonly MappingInit[]) =>
    mappings.filter((mapping) => mapping.name !== name);
  const add = mayWrite && (
    <Button look="first" onClick={() => setOpen({ mapping: undefined })}>
      {texts.add}
    </Button>
  );
  return (
    <>
      <p class="hint list-head">{texts.lead}</p>
      {mayWrite && <div class="actions">{add}</div>}
      <List
        name={texts.title}
        load={async () => {
          const rows = [...((await calls.get())?.mappings ?? [])];
          return { rows, nextPageToken: "", details: undefined };
        }}
        inputs={[version]}
        columns={columns}
        idOf={({ mapping }) => mapping?.name ?? ""}
        rowActions={
          mayWrite
            ? ({ mapping }) => (
                <Button
                  look="quiet"
                  label={`${texts.change} ${mapping?.name ?? ""}`}
                  onClick={() => setOpen({ mapping })}
                >
                  {texts.change}
                </Button>
              )
            : undefined
        }
        bulk={
          mayWrite
            ? [
                {
                  label: texts.remove,
                  isDanger: true,
                  run: (rows) => {
                    const names = new Set(rows.map(({ mapping }) => mapping?.name));
                    void replace((mappings) => mappings.filter(({ name }) => !names.has(name)));
                  },
                },
              ]
            : []
        }
        empty={{ title: texts.emptyTitle, text: texts.emptyText }}
      />
      {open !== undefined && (
        <ClaimDialog
          mapping={open.mapping}
          onClose={() => setOpen(undefined)}
          save={(mapping) =>
            replace((mappings) => {
              const former = open.mapping?.name;
              const isThere = mappings.some(({ name }) => name === former);
              if (!isThere) return [...without(mapping.name)(mappings), mapping];
              return mappings.map((each) => (each.name === former ? mapping : each));
            })
          }
        />
      )}
    </>
  );
}

function useColumns(): readonly Column<StoredClaimMapping>[] {
  const texts = useTexts(claimTexts);
  const { date } = useFormats();
  const stateOf = ({ isPaused, leftOutDate }: StoredClaimMapping): string => {
    if (isPaused) return texts.paused;
    return leftOutDate === undefined ? texts.told : texts.leftOut(date(leftOutDate));
  };
  const placesOf = ({ mapping }: StoredClaimMapping): string =>
    (mapping?.targets ?? []).map((target) => texts.targetNames[target] ?? "").join(", ");
  return [
    { title: texts.name, text: ({ mapping }) => mapping?.name ?? "" },
    { title: texts.source, text: ({ mapping }) => texts.sources[mapping?.source ?? 0] ?? "" },
    { title: texts.targets, text: placesOf, isMinor: true },
    { title: texts.scope, text: ({ mapping }) => mapping?.scope ?? "", isMinor: true },
    { title: texts.state, text: stateOf },
  ];
}
