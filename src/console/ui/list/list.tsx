import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { useQuery } from "../../api/use-query.ts";
import { Link, useNavigation } from "../../routing/navigation.tsx";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { Button } from "../button.tsx";
import { QueryView } from "../query-view.tsx";
import { uiTexts } from "../texts.ts";
import { CsvButton } from "./csv-button.tsx";
import { type Filter, FilterBar, readFilters } from "./filter-bar.tsx";
import type { LoadPage } from "./list-source.ts";

/** A column of a list. The first one names the row: it is the link to the object. */
export interface Column<Row> {
  readonly title: string;
  /** What the column says, also in the CSV. */
  text(row: Row): string;
  /** How it is shown. Default: its text. */
  render?(row: Row): ComponentChildren;
  /** Whether small screens leave it out. */
  readonly isMinor?: boolean;
}

/** What can be done with all selected rows at once. */
export interface BulkAction<Row> {
  readonly label: string;
  readonly isDanger?: boolean;
  /** Usually opens a dialog. `done` forgets the selection and reads the list again. */
  run(rows: readonly Row[], done: () => void): void;
}

/** Props of a list. */
export interface ListProps<Row> {
  /** What is listed: the heading of the table for those who do not see it, and the name of the CSV file. */
  readonly name: string;
  readonly load: LoadPage<Row>;
  /** What the list depends on beside filters and page, such as the id of the project. */
  readonly inputs?: readonly unknown[];
  readonly columns: readonly Column<Row>[];
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

/** A list as the API has them: pages, its filters in the address, selection, and the whole list as CSV. */
export function List<Row>(props: ListProps<Row>): JSX.Element {
  const { filters = [], load, inputs = [], bulk = [] } = props;
  const { place } = useNavigation();
  const chosen = readFilters(filters, place.query);
  const [tokens, setTokens] = useState<readonly string[]>([""]);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [filtersOfTokens, setFiltersOfTokens] = useState(place.query);
  // A token is good for the filters that it was made with.
  const current = filtersOfTokens === place.query ? tokens : [""];
  const pageToken = current.at(-1) ?? "";
  const query = useQuery(
    () => load({ pageSize, pageToken, countTotal: pageToken === "", filters: chosen }),
    [pageToken, place.query, ...inputs],
  );
  const goTo = (next: readonly string[]): void => {
    setTokens(next);
    setFiltersOfTokens(place.query);
    setSelected(new Set());
  };
  const isFiltered = Object.values(chosen).some((value) => value !== "");
  const done = (): void => {
    setSelected(new Set());
    void query.reload();
  };
  return (
    <section class="list" aria-label={props.name}>
      <FilterBar filters={filters} chosen={chosen} />
      <QueryView query={query}>
        {({ rows, nextPageToken, details }) =>
          rows.length === 0 && current.length === 1 ? (
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
              <Table
                {...props}
                rows={rows}
                selected={selected}
                onSelect={setSelected}
                onReload={() => void query.reload()}
              />
              <div class="list-foot">
                <Total total={details?.totalResult} page={current.length} />
                <div class="actions">
                  {current.length > 1 && (
                    <PageButton to="previous" onClick={() => goTo(current.slice(0, -1))} />
                  )}
                  {nextPageToken !== "" && (
                    <PageButton to="next" onClick={() => goTo([...current, nextPageToken])} />
                  )}
                  <CsvButton name={props.name} columns={props.columns} load={load} filters={chosen} />
                </div>
              </div>
            </>
          )
        }
      </QueryView>
    </section>
  );
}

function PageButton({
  to,
  onClick,
}: {
  readonly to: "next" | "previous";
  readonly onClick: () => void;
}): JSX.Element {
  const texts = useTexts(uiTexts);
  return <Button onClick={onClick}>{texts.list[to]}</Button>;
}

/** Counts beyond 10,000 are not exact. */
function Total({ total, page }: { readonly total: bigint | undefined; readonly page: number }): JSX.Element {
  const texts = useTexts(uiTexts).list;
  const { number } = useFormats();
  if (total === undefined) return <p class="hint">{texts.page(page)}</p>;
  return <p class="hint">{texts.total(total > 10_000n ? texts.more(number(10_000)) : number(total))}</p>;
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
  return (
    <div class="selection">
      <p role="status">{texts.selected(number(rows.length))}</p>
      <div class="actions">
        {bulk.map(({ label, isDanger = false, run }) => (
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

function Table<Row>(
  props: ListProps<Row> & {
    readonly rows: readonly Row[];
    readonly selected: ReadonlySet<string>;
    readonly onSelect: (selected: ReadonlySet<string>) => void;
    readonly onReload: () => void;
  },
): JSX.Element {
  const { name, rows, columns, idOf, linkOf, rowActions, bulk = [], selected, onSelect, onReload } = props;
  const texts = useTexts(uiTexts).list;
  const [first] = columns;
  const isSelectable = bulk.length > 0;
  const toggle = (ids: readonly string[], isOn: boolean): void => {
    const next = new Set(selected);
    for (const id of ids)
      if (isOn) next.add(id);
      else next.delete(id);
    onSelect(next);
  };
  return (
    <div class="table-frame">
      <table>
        <caption class="hidden">{name}</caption>
        <thead>
          <tr>
            {isSelectable && (
              <th scope="col" class="check">
                <input
                  type="checkbox"
                  aria-label={texts.selectAll}
                  checked={selected.size === rows.length}
                  onChange={(event) => toggle(rows.map(idOf), event.currentTarget.checked)}
                />
              </th>
            )}
            {columns.map(({ title, isMinor = false }) => (
              <th key={title} scope="col" class={isMinor ? "minor" : undefined}>
                {title}
              </th>
            ))}
            {rowActions !== undefined && <td />}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={idOf(row)}>
              {isSelectable && (
                <td class="check">
                  <input
                    type="checkbox"
                    aria-label={texts.select(first?.text(row) ?? "")}
                    checked={selected.has(idOf(row))}
                    onChange={(event) => toggle([idOf(row)], event.currentTarget.checked)}
                  />
                </td>
              )}
              {columns.map((column, index) => (
                <Cell
                  key={column.title}
                  column={column}
                  row={row}
                  link={index === 0 ? linkOf?.(row) : undefined}
                  isFirst={index === 0}
                />
              ))}
              {rowActions !== undefined && <td class="row-actions">{rowActions(row, onReload)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell<Row>({
  column,
  row,
  link,
  isFirst,
}: {
  readonly column: Column<Row>;
  readonly row: Row;
  readonly link: string | undefined;
  readonly isFirst: boolean;
}): JSX.Element {
  const content = column.render?.(row) ?? column.text(row);
  const shown = link === undefined ? content : <Link to={link}>{content}</Link>;
  const className = column.isMinor === true ? "minor" : undefined;
  return isFirst ? (
    <th scope="row" class={className}>
      {shown}
    </th>
  ) : (
    <td class={className}>{shown}</td>
  );
}
