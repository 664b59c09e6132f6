import type { CallOptions } from "@connectrpc/connect";
import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { dryRun, ifUnchanged } from "../api/call-options.ts";
import { type CallProblem, isConflict, readProblem } from "../api/call-problem.ts";
import { type Query, useQuery } from "../api/use-query.ts";
import type { ObjectDetails, Removed } from "../../../gen/console/gatehouse/v1/object_pb.ts";
import { useFormats, useTexts } from "../texts/use-texts.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ErrorView } from "./error-view.tsx";
import { useNotify } from "./notices.tsx";
import { QueryView } from "./query-view.tsx";
import { removedTexts } from "./removed-texts.ts";
import { uiTexts } from "./texts.ts";

/** An object to remove. */
export interface Removable {
  readonly id: string;
  readonly name: string;
  /** The removal is refused if the object has changed since; absent: it is removed as it is then. */
  readonly details?: ObjectDetails | undefined;
}

/** Props of the dialog of a removal. */
export interface RemovalDialogProps<Item extends Removable> {
  /** What is removed: one, or several that were selected. */
  readonly items: readonly Item[];
  /** How several are called together, such as "3 users". */
  readonly several?: string;
  /** Removes one; with the options of a dry run it only says what would go with it. */
  remove(item: Item, options: CallOptions): Promise<{ readonly removed: readonly Removed[] }>;
  /** Removes several at once, all or none; absent: they are removed one by one. */
  removeAll?(items: readonly Item[], options: CallOptions): Promise<{ readonly removed: readonly Removed[] }>;
  /** What is special about this item, such as that it is the user of the console. */
  readonly note?: string | undefined;
  /** Whether the name is to be typed even if little goes with it, as for an organization. */
  readonly isGrave?: boolean;
  /** What to say if there is nothing to remove, where no call reads that. */
  readonly missing?: string;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
  /**
   * Reads the item again when somebody else has changed it meanwhile, so that the next try is about the item as it is then. Absent: the
   * dialog can only be closed after that, by `onRemoved`, which reads the list again.
   */
  readonly onChanged?: (() => unknown) | undefined;
}

/** From how many objects on, which go with it, the name is to be typed. */
const graveCount = 10n;

/**
 * Asks before something is removed, and says what goes with it, which a dry run tells. Where much goes, the name is to be typed. What
 * was removed before one of several failed stays removed.
 */
export function RemovalDialog<Item extends Removable>(props: RemovalDialogProps<Item>): JSX.Element {
  const texts = useTexts(uiTexts);
  const removal = useRemoval(props);
  const { name, preview, leave } = removal;
  return (
    <Dialog
      title={props.items.length === 1 ? texts.removal.title(name) : texts.removal.several(name)}
      onClose={leave}
    >
      {props.note !== undefined && <p>{props.note}</p>}
      {props.missing !== undefined && preview.problem?.reason === "NOT_FOUND" ? (
        <>
          <p>{props.missing}</p>
          <div class="actions">
            <Button onClick={props.onClose} hasFocus>
              {texts.close}
            </Button>
          </div>
        </>
      ) : (
        <QueryView query={preview}>
          {(removed) => (
            <RemovalForm
              {...removal}
              removed={removed}
              isTyped={props.isGrave === true || total(removed) >= graveCount}
            />
          )}
        </QueryView>
      )}
    </Dialog>
  );
}

/** What a dialog of a removal knows, and what can be done. */
interface RemovalState {
  /** What the items are called. */
  readonly name: string;
  /** What goes with them. */
  readonly preview: Query<readonly Count[]>;
  readonly isBusy: boolean;
  readonly problem: CallProblem | undefined;
  /** The name of the item because of which none was removed. */
  readonly cause: string | undefined;
  /** Whether the items have changed since they were read, so that they cannot be removed from here. */
  readonly isOutdated: boolean;
  run(): Promise<void>;
  leave(): void;
}

function useRemoval<Item extends Removable>(props: RemovalDialogProps<Item>): RemovalState {
  const { items, several, remove, removeAll, onClose, onRemoved, onChanged } = props;
  const texts = useTexts(uiTexts);
  const notify = useNotify();
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<CallProblem>();
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const rest = items.filter((item) => !gone.has(item.id));
  const all = items.length > 1 ? removeAll : undefined;
  const preview = useQuery(
    async () => mergeCounts(all === undefined ? await previewEach(rest, remove) : [await all(rest, dryRun)]),
    [gone.size],
  );
  const isOutdated = problem !== undefined && isConflict(problem) && onChanged === undefined;
  const name = items.length === 1 ? (items[0]?.name ?? "") : (several ?? "");

  const run = async (): Promise<void> => {
    setIsBusy(true);
    setProblem(undefined);
    const done = new Set(gone);
    try {
      if (all === undefined) await removeEach(rest, remove, done);
      else await all(rest, {});
      notify(items.length === 1 ? texts.removal.removed(name) : texts.removal.severalRemoved(name));
      onRemoved();
    } catch (error) {
      const refusal = readProblem(error);
      if (isConflict(refusal) && onChanged !== undefined) {
        await onChanged();
        await preview.reload();
      }
      setProblem(refusal);
      setGone(done);
      setIsBusy(false);
    }
  };

  return {
    name,
    preview,
    isBusy,
    problem,
    cause: all === undefined ? undefined : items[Number(problem?.metadata["item"])]?.name,
    isOutdated,
    run,
    leave: gone.size > 0 || isOutdated ? onRemoved : onClose,
  };
}

function RemovalForm({
  name,
  removed,
  isTyped,
  isBusy,
  problem,
  cause,
  isOutdated,
  run,
  leave,
}: RemovalState & { readonly removed: readonly Count[]; readonly isTyped: boolean }): JSX.Element {
  const texts = useTexts(uiTexts);
  const [typed, setTyped] = useState("");
  const id = useId();
  const isConfirmed = !isTyped || typed.trim() === name;
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy && !isOutdated && isConfirmed) void run();
      }}
    >
      <RemovedList removed={removed} />
      <p>{texts.removal.cannotUndo}</p>
      {isTyped && (
        <div class="field">
          <label for={id}>{texts.removal.typeName(name)}</label>
          <input
            id={id}
            value={typed}
            autocomplete="off"
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </div>
      )}
      {cause !== undefined && <p>{texts.removal.because(cause)}</p>}
      {problem !== undefined && <ErrorView problem={problem} />}
      <div class="actions">
        {!isOutdated && (
          <Button type="submit" look="danger" isBusy={isBusy} isDisabled={!isConfirmed}>
            {texts.remove}
          </Button>
        )}
        <Button onClick={leave} hasFocus={!isTyped}>
          {isOutdated ? texts.close : texts.cancel}
        </Button>
      </div>
    </form>
  );
}

function RemovedList({ removed }: { readonly removed: readonly Count[] }): JSX.Element {
  const texts = useTexts(uiTexts).removal;
  const types: Readonly<Record<string, (count: string) => string>> = useTexts(removedTexts);
  const { number } = useFormats();
  if (removed.length === 0) return <p>{texts.takesNothing}</p>;
  return (
    <>
      <p>{texts.takesAlong}</p>
      <ul>
        {removed.map(({ type, count }) => {
          const shown = count > 10_000n ? `> ${number(10_000)}` : number(count);
          return <li key={type}>{types[type]?.(shown) ?? `${shown} × ${type}`}</li>;
        })}
      </ul>
    </>
  );
}

type Count = Pick<Removed, "type" | "count">;

async function removeEach<Item extends Removable>(
  items: readonly Item[],
  remove: RemovalDialogProps<Item>["remove"],
  done: Set<string>,
): Promise<void> {
  for (const item of items) {
    await remove(item, ifUnchanged(item.details));
    done.add(item.id);
  }
}

interface Answer {
  readonly removed: readonly Count[];
}

async function previewEach<Item extends Removable>(
  items: readonly Item[],
  remove: RemovalDialogProps<Item>["remove"],
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (const item of items) answers.push(await remove(item, dryRun));
  return answers;
}

/** Objects that go with several of the items are counted once for each. */
function mergeCounts(answers: readonly Answer[]): readonly Count[] {
  const counts = new Map<string, bigint>();
  for (const { removed } of answers)
    for (const { type, count } of removed) counts.set(type, (counts.get(type) ?? 0n) + count);
  return [...counts]
    .map(([type, count]) => ({ type, count }))
    .toSorted((a, b) => a.type.localeCompare(b.type));
}

function total(removed: readonly Count[]): bigint {
  return removed.reduce((sum, { count }) => sum + count, 0n);
}
