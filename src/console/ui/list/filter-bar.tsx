import type { JSX } from "preact";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
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
  /** Whether it is applied whenever typing pauses. */
  readonly isLive?: true;
  /** Whether it stands behind "More filters", which opens by itself where one of these is chosen. */
  readonly isMinor?: true;
}

const pauseMs = 300;

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
  const bar = useRef<HTMLFormElement>(null);
  const typed = useRef<{ timer?: ReturnType<typeof setTimeout>; applied?: string }>({});
  useEffect(() => () => clearTimeout(typed.current.timer), [place.path]);
  useLayoutEffect(() => {
    // The fields keep what is typed until the place changes. They themselves stay, and so does the focus.
    if (typed.current.applied === place.query) return; // more may have been typed meanwhile
    delete typed.current.applied;
    for (const { name } of filters) {
      const field = bar.current?.elements.namedItem(name);
      if (field instanceof HTMLInputElement) field.value = chosen[name] ?? "";
    }
  }, [place.query]);
  if (filters.length === 0) return null;
  const apply = (form: HTMLFormElement, options?: { readonly replaces: boolean }): void => {
    clearTimeout(typed.current.timer);
    const entries = [...new FormData(form)].flatMap(([name, value]) =>
      typeof value === "string" && value.trim() !== "" ? [[name, value.trim()]] : [],
    );
    const query = new URLSearchParams(entries).toString();
    typed.current.applied = query;
    if (query === place.query) return;
    go(query === "" ? place.path : `${place.path}?${query}`, options);
  };
  const applyLater = (form: HTMLFormElement): void => {
    clearTimeout(typed.current.timer);
    typed.current.timer = setTimeout(() => apply(form, { replaces: true }), pauseMs);
  };
  const show = (filter: Filter): JSX.Element => (
    <FilterField
      key={filter.name}
      filter={filter}
      value={chosen[filter.name] ?? ""}
      isFirst={filter === filters[0]}
      onType={applyLater}
    />
  );
  const minor = filters.filter(({ isMinor }) => isMinor);
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
      {filters.filter(({ isMinor }) => !isMinor).map(show)}
      <div class="actions">
        <Button type="submit">{texts.filter}</Button>
        {Object.values(chosen).some((value) => value !== "") && (
          <Button
            look="quiet"
            onClick={() => {
              delete typed.current.applied;
              go(place.path);
              bar.current?.querySelector<HTMLElement>("input, select")?.focus(); // the button goes
            }}
          >
            {texts.clear}
          </Button>
        )}
      </div>
      {minor.length > 0 && (
        <details class="more-filters" open={minor.some(({ name }) => (chosen[name] ?? "") !== "")}>
          <summary>{texts.moreFilters}</summary>
          <div class="filters">{minor.map(show)}</div>
        </details>
      )}
    </form>
  );
}

function FilterField({
  filter,
  value,
  isFirst,
  onType,
}: {
  readonly filter: Filter;
  readonly value: string;
  readonly isFirst: boolean;
  readonly onType: (form: HTMLFormElement) => void;
}): JSX.Element {
  const texts = useTexts(uiTexts).list;
  const id = useId();
  const { name, label, options, otherwise = texts.any, type = "search", isLive = false } = filter;
  return (
    <div class={isLive ? "filter wide" : "filter"}>
      <label for={id}>{label}</label>
      {options === undefined ? (
        <input
          id={id}
          name={name}
          {...kindOf(type)}
          autocomplete="off"
          maxLength={200}
          defaultValue={value}
          data-search={isFirst ? "" : undefined}
          onInput={({ currentTarget: { form } }) => isLive && form !== null && onType(form)}
        />
      ) : (
        <select id={id} name={name} onChange={(event) => event.currentTarget.form?.requestSubmit()}>
          <option value="">{otherwise}</option>
          {options.map(({ value: option, label: text }) => (
            <option key={option} value={option} selected={value === option}>
              {text}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}

/** The types of Preact know each type of input only by itself. */
function kindOf(type: "search" | "date"): object {
  return { type };
}
