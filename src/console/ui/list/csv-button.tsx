import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { readProblem } from "../../api/call-problem.ts";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { Button } from "../button.tsx";
import { useNotify } from "../notices.tsx";
import { uiTexts } from "../texts.ts";
import { toCsv } from "./csv.ts";
import { type LoadPage, loadAll } from "./list-source.ts";

/** Downloads the whole list, with its filters, as a CSV file. */
export function CsvButton<Row>({
  name,
  columns,
  load,
  filters,
  mostRows = Number.POSITIVE_INFINITY,
}: {
  readonly name: string;
  readonly columns: readonly { readonly title: string; text(row: Row): string }[];
  readonly load: LoadPage<Row>;
  readonly filters: Readonly<Record<string, string>>;
  /** The file ends after this number of rows, and a message says so. Default: it holds the whole list. */
  readonly mostRows?: number;
}): JSX.Element {
  const texts = useTexts(uiTexts).list;
  const { number } = useFormats();
  const notify = useNotify();
  const [count, setCount] = useState<number>();
  const download = async (): Promise<void> => {
    setCount(0);
    try {
      const rows = await loadAll(load, filters, { onProgress: setCount, mostRows });
      save(
        `${name}.csv`,
        toCsv([
          columns.map(({ title }) => title),
          ...rows.map((row) => columns.map((column) => column.text(row))),
        ]),
      );
      if (rows.length >= mostRows) notify(texts.csvCut(number(rows.length)));
    } catch (error) {
      notify(readProblem(error).message, "en");
    } finally {
      setCount(undefined);
    }
  };
  return (
    <Button look="quiet" isBusy={count !== undefined} onClick={() => void download()}>
      {count === undefined ? texts.csv : texts.csvProgress(number(count))}
    </Button>
  );
}

function save(fileName: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}
