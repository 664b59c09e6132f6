import { create, type DescMessage } from "@bufbuild/protobuf";
import type { CallOptions } from "@connectrpc/connect";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { CustomTexts } from "../../../../gen/console/gatehouse/v1/custom_text_pb.ts";
import { ListDetailsSchema } from "../../../../gen/console/gatehouse/v1/object_pb.ts";
import { useCan } from "../../api/api.ts";
import { ifUnchanged, type ObjectVersion } from "../../api/call-options.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { ActionDialog } from "../../ui/action-dialog.tsx";
import { Button } from "../../ui/button.tsx";
import type { Filter } from "../../ui/list/filter-bar.tsx";
import type { LoadPage } from "../../ui/list/list-source.ts";
import type { Column } from "../../ui/list/list-table.tsx";
import { List } from "../../ui/list/list.tsx";
import {
  findTexts,
  type PageLanguage,
  pageLanguages,
  type SentText,
  type ShownText,
  toPageLanguage,
  withText,
} from "./find-texts.ts";
import { TextDialog } from "./text-dialog.tsx";
import { customTexts } from "./texts.ts";

/** Props of the view of texts. */
export interface CustomTextsViewProps {
  /** Of the call by which texts are saved. */
  readonly request: DescMessage;
  readonly calls: {
    /** Organizations get only what they may change. */
    read(language: string): Promise<CustomTexts>;
    save(language: string, texts: readonly SentText[], options: CallOptions): Promise<unknown>;
    resetAll(language: string, options: CallOptions): Promise<unknown>;
  };
  /** Learns what was read last. */
  readonly onRead: (texts: CustomTexts) => void;
}

/** Shows the texts of a language beside their defaults, and lets people change each. */
export function CustomTextsView({ request, calls, onRead }: CustomTextsViewProps): JSX.Element {
  const texts = useTexts(customTexts);
  const mayWrite = useCan()("policy.write");
  const [stored, setStored] = useState<CustomTexts>();
  const [open, setOpen] = useState<{ readonly key: string; readonly reload: () => void }>();
  const [resets, setResets] = useState(0);
  const read = async (language: string): Promise<CustomTexts> => {
    const now = await calls.read(language);
    setStored(now);
    onRead(now);
    return now;
  };
  const save = (text: SentText, version: ObjectVersion | undefined) =>
    calls.save(stored?.language ?? "", withText(stored?.texts ?? [], text), ifUnchanged(version));
  const actionsOf = (text: ShownText, reload: () => void): JSX.Element => (
    <TextActions
      text={text}
      reset={() => save({ key: text.key, text: "" }, stored?.details)}
      onReset={reload}
      onChange={() => setOpen({ key: text.key, reload })}
    />
  );
  const opened = stored?.texts.find(({ key }) => key === open?.key);
  return (
    <>
      <List
        name={texts.title}
        load={toPages(read)}
        inputs={[resets]}
        filters={useTextFilters()}
        columns={useColumns(stored?.language ?? "")}
        idOf={({ key }) => key}
        {...(mayWrite ? { rowActions: actionsOf } : {})}
        empty={{ title: texts.noneTitle, text: texts.noneText }}
      />
      {mayWrite && stored?.texts.some(({ text }) => text !== "") === true && (
        <ResetPanel
          language={toPageLanguage(stored.language)}
          run={() => calls.resetAll(stored.language, ifUnchanged(stored.details))}
          onDone={() => setResets(resets + 1)}
        />
      )}
      {stored !== undefined && open !== undefined && opened !== undefined && (
        <TextDialog
          request={request}
          language={stored.language}
          text={opened}
          version={stored.details}
          save={async (text, version) => {
            await save({ key: opened.key, text }, version);
            open.reload();
          }}
          read={() => read(stored.language)}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

function TextActions({
  text,
  reset,
  onReset,
  onChange,
}: {
  readonly text: ShownText;
  reset(): Promise<unknown>;
  readonly onReset: () => void;
  readonly onChange: () => void;
}): JSX.Element {
  const texts = useTexts(customTexts);
  return (
    <>
      {text.text !== "" && (
        // Small screens have no room for it: there the text is emptied.
        <span class="minor">
          <ActionButton look="quiet" done={texts.wasReset} run={reset} onDone={onReset}>
            {texts.reset}
          </ActionButton>
        </span>
      )}
      <Button look="quiet" onClick={onChange}>
        {texts.change}
      </Button>
    </>
  );
}

/** No language that is chosen is English. */
function useTextFilters(): readonly Filter[] {
  const texts = useTexts(customTexts);
  const [first, ...others] = pageLanguages;
  return [
    {
      name: "language",
      label: texts.language,
      otherwise: texts.languages[first],
      options: others.map((value) => ({ value, label: texts.languages[value] })),
    },
    { name: "search", label: texts.search, isLive: true },
    {
      name: "which",
      label: texts.which,
      otherwise: texts.all,
      options: [{ value: "changed", label: texts.changedOnly }],
    },
  ];
}

/** The service gives all texts at once; pages are for the eye. The token of a page is where it begins. */
function toPages(read: (language: string) => Promise<CustomTexts>): LoadPage<ShownText> {
  return async ({ pageSize, pageToken, filters: { language, search = "", which } }) => {
    const { texts } = await read(toPageLanguage(language));
    const found = findTexts(texts, { search, isChangedOnly: which === "changed" });
    const from = Number(pageToken);
    const next = from + pageSize;
    return {
      rows: found.slice(from, next),
      details: create(ListDetailsSchema, { totalResult: BigInt(found.length) }),
      nextPageToken: next < found.length ? String(next) : "",
    };
  };
}

function useColumns(language: string): readonly Column<ShownText>[] {
  const texts = useTexts(customTexts);
  const show = (text: string): JSX.Element => (
    <span class="custom-text" lang={language} dir="auto">
      {text}
    </span>
  );
  return [
    {
      title: texts.defaultText,
      text: ({ defaultText }) => defaultText,
      render: ({ defaultText }) => show(defaultText),
    },
    {
      title: texts.text,
      text: ({ text }) => text,
      render: ({ text }) => (text === "" ? <span class="hint">{texts.unchanged}</span> : show(text)),
    },
    {
      title: texts.key,
      text: ({ key }) => key,
      render: ({ key }) => <code>{withBreaks(key)}</code>,
      isMinor: true,
    },
  ];
}

/** A key may go on in the next line behind each dot. */
function withBreaks(key: string): readonly (string | JSX.Element)[] {
  return key.split(".").flatMap((part, at) => (at === 0 ? [part] : [".", <wbr key={at} />, part]));
}

function ResetPanel({
  language,
  run,
  onDone,
}: {
  readonly language: PageLanguage;
  run(): Promise<unknown>;
  readonly onDone: () => void;
}): JSX.Element {
  const texts = useTexts(customTexts);
  const [isOpen, setIsOpen] = useState(false);
  const title = texts.resetAllTitle(texts.languages[language]);
  return (
    <section class="panel">
      <h2>{title}</h2>
      <p>{texts.resetAllText}</p>
      <div class="actions">
        <Button look="danger" onClick={() => setIsOpen(true)}>
          {texts.resetAll}
        </Button>
      </div>
      {isOpen && (
        <ActionDialog
          title={title}
          text={texts.resetAllText}
          actionText={texts.resetAll}
          done={texts.allWereReset}
          run={run}
          onClose={() => setIsOpen(false)}
          onDone={onDone}
          isDanger
        />
      )}
    </section>
  );
}
