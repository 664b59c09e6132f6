import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useQuery } from "../../api/use-query.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { Button } from "../button.tsx";
import { QueryView } from "../query-view.tsx";
import { uiTexts } from "../texts.ts";
import { CsvButton } from "./csv-button.tsx";
import { type Filter, FilterBar, readFilters } from "./filter-bar.tsx";
import type { ListDetails } from "../../../../gen/console/gatehouse/v1/object_pb.ts";
import type { LoadPage } from "./list-source.ts";
import { type Column, ListTable } from "./list-table.tsx";
import { firstPage, pageAfter, pageBefore, readPage, type ShownPage, writePage } from "./page-place.ts";

/** What can be done with all selected rows at once. */
export interface BulkAction<Row> {
  readonly label: string;
  readonly isDanger?: boolean;
  /** Whether the user may do it with this row. Default: with each. */
  fits?(row: Row): boolean;
  /** Usually opens a dialog. `done` forgets the selection and reads the list again. */
  run(rows: readonly Row[], done: () => void): void;
}

/** Props of a list. */
export interface ListProps<Row> {
  /** What is listed: the heading of the table for people that cannot see it, and the name of the CSV file. */
  readonly name: string;
  readonly load: LoadPage<Row>;
  /** Of a page with several lists: the prefix of this list in the address of the page. */
  readonly tag?: string;
  /** What the list depends on beside filters and page, such as the id of the project. */
  readonly inputs?: readonly unknown[];
  readonly columns: readonly Column<Row>[];
  /** Columns that only the CSV file has, behind the others. */
  readonly csvColumns?: readonly Pick<Column<Row>, "title" | "text">[];
  readonly filters?: readonly Filter[];
  idOf(row: Row): string;
  /** The page of the object; absent: rows are no links. */
  linkOf?(row: Row): string;
  /** Buttons at the end of each row. `reload` reads the list again. */
  rowActions?(row: Row, reload: () => void): ComponentChildren;
  /** What can be done with several rows; rows can be selected only if there is something. */
  readonly bulk?: readonly BulkAction<Row>[];
  /** What to show when there is nothing: what these objects are for, and what to do next. */
  readonly empty: { readonly title: string; readonly text: string; readonly action?: ComponentChildren };
}

const pageSize = 50;

/** A list as the API has them: pages and filters, both in the address, selection, and the whole list as CSV. */
export function List<Row>(props: ListProps<Row>): JSX.Element {
  const { filters = [], load, inputs = [], bulk = [], tag } = props;
  const texts = useTexts(uiTexts).list;
  const { place, go } = useNavigation();
  const chosen = readFilters(filters, place.query);
  const chosenText = JSON.stringify(chosen);
  const parameter = tag === undefined ? "page" : `${tag}-page`;
  const page = readPage(new URLSearchParams(place.query).get(parameter));
  const pageToken = page.tokens.at(-1) ?? "";
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const section = useRef<HTMLElement>(null);
  const query = useQuery(
    () => load({ pageSize, pageToken, countTotal: pageToken === "", filters: chosen }),
    [pageToken, chosenText, ...inputs],
  );
  useEffect(() => setSelected(new Set()), [pageToken, chosenText, ...inputs]);
  const goTo = (next: ShownPage): void => {
    const parameters = new URLSearchParams(place.query);
    parameters.delete(parameter);
    const text = writePage(next);
    if (text !== "") parameters.set(parameter, text);
    const rest = parameters.toString();
    go(rest === "" ? place.path : `${place.path}?${rest}`);
    // The button goes with its page.
    section.current?.focus({ preventScroll: true });
    section.current?.scrollIntoView({ block: "start" });
  };
  const isFiltered = Object.values(chosen).some((value) => value !== "");
  const done = (): void => {
    setSelected(new Set());
    void query.reload();
  };
  return (
    <section class="list" aria-label={props.name} ref={section} tabIndex={-1}>
      <FilterBar filters={filters} chosen={chosen} />
      {query.problem?.reason === "PAGE_TOKEN_INVALID" && (
        <p>
          <Button onClick={() => goTo(firstPage)}>{texts.first}</Button>
        </p>
      )}
      <QueryView query={query}>
        {({ rows, nextPageToken, details }) =>
          rows.length === 0 && page.number === 1 && nextPageToken === "" ? (
            <Empty isFiltered={isFiltered} empty={props.empty} />
          ) : (
            <>
              {selected.size > 0 && (
                <SelectionBar
                  rows={rows.filter((row) => selected.has(props.idOf(row)))}
                  bulk={bulk}
                  onDone={done}
                  onClear={() => setSelected(new Set())}
                />
              )}
              <ListTable
                {...props}
                rows={rows}
                isSelectable={(row) => bulk.some(({ fits }) => fits?.(row) ?? true)}
                selected={selected}
                onSelect={setSelected}
                onReload={() => void query.reload()}
              />
              <div class="list-foot">
                <Total details={details} page={page.number} />
                <div class="actions">
                  {page.number > 1 && (
                    <Button onClick={() => goTo(pageBefore(page))}>
                      {page.tokens.length > 1 ? texts.previous : texts.first}
                    </Button>
                  )}
                  {nextPageToken !== "" && (
                    <Button onClick={() => goTo(pageAfter(page, nextPageToken))}>{texts.next}</Button>
                  )}
                  <CsvButton
                    name={props.name}
                    columns={[...props.columns, ...(props.csvColumns ?? [])]}
                    load={load}
                    filters={chosen}
                  />
                </div>
              </div>
            </>
          )
        }
      </QueryView>
    </section>
  );
}

/** Counts beyond 10,000 are not exact, and some of a search are lower bounds. */
function Total({
  details,
  page,
}: {
  readonly details: Pick<ListDetails, "totalResult" | "totalIsLowerBound"> | undefined;
  readonly page: number;
}): JSX.Element {
  const texts = useTexts(uiTexts).list;
  const { number } = useFormats();
  const total = details?.totalResult;
  if (total === undefined) return <p class="hint">{texts.page(page)}</p>;
  const count = total > 10_000n ? texts.more(number(10_000)) : number(total);
  return <p class="hint">{texts.total(details?.totalIsLowerBound ? texts.atLeast(count) : count)}</p>;
}

function Empty({
  isFiltered,
  empty,
}: {
  readonly isFiltered: boolean;
  readonly empty: ListProps<never>["empty"];
}): JSX.Element {
  const texts = useTexts(uiTexts).list;
  if (isFiltered) return <p class="empty">{texts.nothingFits}</p>;
  return (
    <div class="empty">
      <p class="empty-title">{empty.title}</p>
      <p>{empty.text}</p>
      {empty.action}
    </div>
  );
}

function SelectionBar<Row>({
  rows,
  bulk,
  onDone,
  onClear,
}: {
  readonly rows: readonly Row[];
  readonly bulk: readonly BulkAction<Row>[];
  readonly onDone: () => void;
  readonly onClear: () => void;
}): JSX.Element {
  const texts = useTexts(uiTexts).list;
  const { number } = useFormats();
  const possible = bulk.filter(({ fits }) => rows.every((row) => fits?.(row) ?? true));
  return (
    <div class="selection">
      <p role="status">{texts.selected(number(rows.length))}</p>
      <div class="actions">
        {possible.map(({ label, isDanger = false, run }) => (
          <Button key={label} look={isDanger ? "danger" : "second"} onClick={() => run(rows, onDone)}>
            {label}
          </Button>
        ))}
        <Button look="quiet" onClick={onClear}>
          {texts.clearSelection}
        </Button>
      </div>
    </div>
  );
}
