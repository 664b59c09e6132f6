import type { ComponentChildren, JSX } from "preact";
import type { Query } from "../api/use-query.ts";
import { useTexts } from "../texts/use-texts.ts";
import { ErrorView } from "./error-view.tsx";
import { uiTexts } from "./texts.ts";

/** Shows what was read, or that it is read, or why it could not be. */
export function QueryView<T>({
  query,
  children,
}: {
  readonly query: Query<T>;
  readonly children: (data: T) => ComponentChildren;
}): JSX.Element {
  const texts = useTexts(uiTexts);
  const { data, problem } = query;
  // The dry run was carried out, and would be again.
  const onRetry = problem?.reason === "DRY_RUN_IGNORED" ? undefined : () => void query.reload();
  return (
    <>
      {problem !== undefined && <ErrorView problem={problem} onRetry={onRetry} />}
      {data !== undefined && children(data)}
      {data === undefined && problem === undefined && (
        <p class="loading" role="status">
          {texts.loading}
        </p>
      )}
    </>
  );
}
