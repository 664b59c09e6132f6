import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useLeaveGuard } from "../../../routing/navigation.tsx";
import type { PageProps } from "../../../routing/page-entry.ts";
import { toPath } from "../../../routing/routes.ts";
import { useFormats, useTexts } from "../../../texts/use-texts.ts";
import { Button } from "../../../ui/button.tsx";
import { ErrorView } from "../../../ui/error-view.tsx";
import { PageFrame } from "../../../ui/page-frame.tsx";
import { columns } from "./people.ts";
import { ResultView } from "./result-view.tsx";
import { importTexts, toSentence } from "./texts.ts";
import { type Import, useImport } from "./use-import.ts";

/** Imports people of a CSV file: shows first what would become of everybody, then adds them, and gives a report. */
export function ImportPage({ params }: PageProps<"organization">): JSX.Element {
  const texts = useTexts(importTexts);
  const own = useImport();
  const { stage, halt } = own.state;
  const isRunning = stage === "importing" && halt === undefined;
  useLeaveGuard(isRunning, texts.leave);
  return (
    <PageFrame
      title={texts.title}
      lead={texts.lead}
      parent={{ to: toPath("/orgs/:organization/users", params), title: texts.users }}
    >
      {stage === "choosing" ? <ChooseFile of={own} /> : <Progress of={own} />}
    </PageFrame>
  );
}

function ChooseFile({ of: { state, choose } }: { readonly of: Import }): JSX.Element {
  const texts = useTexts(importTexts);
  const { fault, halt } = state;
  return (
    <section class="panel">
      <h2>{texts.file}</h2>
      <p>{texts.form}</p>
      <p>
        <code>{columns.join(", ")}</code>
      </p>
      <p class="hint">{texts.formHint}</p>
      {fault !== undefined && (
        <p class="alert" role="alert">
          {toSentence(texts, fault)}
        </p>
      )}
      {typeof halt === "object" && <ErrorView problem={halt} />}
      <div class="field">
        <label for="import-file">{texts.choose}</label>
        <input
          id="import-file"
          type="file"
          accept=".csv,text/csv"
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0];
            currentTarget.value = "";
            if (file !== undefined) void choose(file);
          }}
        />
      </div>
    </section>
  );
}

function Progress({ of: own }: { readonly of: Import }): JSX.Element {
  const texts = useTexts(importTexts);
  const { number } = useFormats();
  const { stage, done, total, halt } = own.state;
  const heading = useRef<HTMLHeadingElement>(null);
  // What had the focus is gone.
  useEffect(() => heading.current?.focus(), [stage]);
  const isUnderWay = stage === "checking" || stage === "importing";
  return (
    <>
      <section class="panel">
        <h2 ref={heading} tabIndex={-1}>
          {texts.stages[stage]}
        </h2>
        <p class="hint">{own.state.fileName}</p>
        {isUnderWay && (
          <>
            <progress
              class="import-progress"
              value={done}
              max={Math.max(total, 1)}
              aria-label={texts.stages[stage]}
            />
            <p role="status">{texts.progress(number(done), number(total))}</p>
          </>
        )}
        {halt === "stopped" && <p>{texts.stopped}</p>}
        {typeof halt === "object" && <ErrorView problem={halt} onRetry={own.goOn} />}
        <div class="actions">
          {isUnderWay && halt === undefined && <Button onClick={own.stop}>{texts.stop}</Button>}
          {halt === "stopped" && (
            <Button look="first" onClick={own.goOn}>
              {texts.goOn}
            </Button>
          )}
          {(!isUnderWay || halt !== undefined) && <Button onClick={own.restart}>{texts.another}</Button>}
        </div>
      </section>
      {(!isUnderWay || halt !== undefined) && <ResultView of={own} />}
    </>
  );
}
