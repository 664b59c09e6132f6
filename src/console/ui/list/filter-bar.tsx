import type { JSX } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { useNavigation } from "../../routing/navigation.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { Button } from "../button.tsx";
import type { Option } from "../form/choice-fields.tsx";
import { uiTexts } from "../texts.ts";

/** A filter of a list, as the API has it. Most compare whole values: say so in the hint. */
export interface Filter {
  /** The name of the filter in the address, and among the filters that `load` gets. */
  readonly name: string;
  readonly label: string;
  /** What may be chosen; absent: any text. */
  readonly options?: readonly Option[];
  /** What it means to choose no option. Default: any. */
  readonly otherwise?: string;
  /** Of a filter without options. Default: `search`, a text. The value of a date is a day such as `2030-12-31`. */
  readonly type?: "search" | "date";
}

/** Reads the values of the filters from the query of the place. An option that does not exist is no filter. */
export function readFilters(filters: readonly Filter[], query: string): Readonly<Record<string, string>> {
  const parameters = new URLSearchParams(query);
  return Object.fromEntries(
    filters.map(({ name, options }) => {
      const value = parameters.get(name) ?? "";
      const isKnown = options === undefined || options.some((option) => option.value === value);
      return [name, isKnown ? value : ""];
    }),
  );
}

/** Lets the user choose filters. They stand in the address, so that the back button and bookmarks know them. */
export function FilterBar({
  filters,
  chosen,
}: {
  readonly filters: readonly Filter[];
  readonly chosen: Readonly<Record<string, string>>;
}): JSX.Element | null {
  const texts = useTexts(uiTexts).list;
  const { place, go } = useNavigation();
  const id = useId();
  const bar = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    // The fields keep what is typed until the place changes. They themselves stay, and so does the focus.
    for (const { name } of filters) {
      const field = bar.current?.elements.namedItem(name);
      if (field instanceof HTMLInputElement) field.value = chosen[name] ?? "";
    }
  }, [place.query]);
  if (filters.length === 0) return null;
  const apply = (form: HTMLFormElement): void => {
    const entries = [...new FormData(form)].flatMap(([name, value]) =>
      typeof value === "string" && value.trim() !== "" ? [[name, value.trim()]] : [],
    );
    const query = new URLSearchParams(entries).toString();
    go(query === "" ? place.path : `${place.path}?${query}`);
  };
  return (
    <form
      class="filters"
      role="search"
      ref={bar}
      onSubmit={(event) => {
        event.preventDefault();
        apply(event.currentTarget);
      }}
    >
      {filters.map(({ name, label, options, otherwise = texts.any, type = "search" }, index) => (
        <div class="filter" key={name}>
          <label for={`${id}${name}`}>{label}</label>
          {options === undefined ? (
            <input
              id={`${id}${name}`}
              name={name}
              {...kindOf(type)}
              autocomplete="off"
              maxLength={200}
              defaultValue={chosen[name]}
              data-search={index === 0 ? "" : undefined}
            />
          ) : (
            <select
              id={`${id}${name}`}
              name={name}
              onChange={(event) => event.currentTarget.form?.requestSubmit()}
            >
              <option value="">{otherwise}</option>
              {options.map(({ value, label: text }) => (
                <option key={value} value={value} selected={chosen[name] === value}>
                  {text}
                </option>
              ))}
            </select>
          )}
        </div>
      ))}
      <div class="actions">
        <Button type="submit">{texts.filter}</Button>
        {Object.values(chosen).some((value) => value !== "") && (
          <Button
            look="quiet"
            onClick={() => {
              go(place.path);
              bar.current?.querySelector<HTMLElement>("input, select")?.focus(); // the button goes
            }}
          >
            {texts.clear}
          </Button>
        )}
      </div>
    </form>
  );
}

/** The types of Preact know each type of input only by itself. */
function kindOf(type: "search" | "date"): object {
  return { type };
}
