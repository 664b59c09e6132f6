import type { ComponentChildren, JSX } from "preact";
import { Link } from "../../routing/navigation.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { uiTexts } from "../texts.ts";

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

/** Props of the table of a list. */
export interface ListTableProps<Row> {
  /** The name of the list, for people that cannot see the heading. */
  readonly name: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  idOf(row: Row): string;
  /** The page of the object; absent: rows are no links. */
  linkOf?(row: Row): string;
  /** Buttons at the end of each row. */
  rowActions?(row: Row, reload: () => void): ComponentChildren;
  isSelectable(row: Row): boolean;
  /** The ids of the rows that are selected. */
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
  readonly onReload: () => void;
}

/** The table of a page of a list, whose rows can be selected. */
export function ListTable<Row>(props: ListTableProps<Row>): JSX.Element {
  const { name, rows, columns, idOf, linkOf, rowActions, selected, onSelect, onReload } = props;
  const texts = useTexts(uiTexts).list;
  const [first] = columns;
  const selectable = new Set(rows.filter(props.isSelectable).map(idOf));
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
            {selectable.size > 0 && (
              <th scope="col" class="check">
                <input
                  type="checkbox"
                  aria-label={texts.selectAll}
                  checked={selected.size === selectable.size}
                  onChange={(event) => toggle([...selectable], event.currentTarget.checked)}
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
              {selectable.size > 0 && (
                <td class="check">
                  {selectable.has(idOf(row)) && (
                    <input
                      type="checkbox"
                      aria-label={texts.select(first?.text(row) ?? "")}
                      checked={selected.has(idOf(row))}
                      onChange={(event) => toggle([idOf(row)], event.currentTarget.checked)}
                    />
                  )}
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
