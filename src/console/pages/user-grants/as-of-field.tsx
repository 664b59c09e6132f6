import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { Button } from "../../ui/button.tsx";
import { readLocalDate, toUtcText } from "../../ui/period/period.ts";
import { userGrantTexts } from "./texts.ts";

/** Lets the user of the console look at a moment of the past, and go back to the present. */
export function AsOfField({
  asOf,
  onChange,
}: {
  /** Absent: the present. */
  readonly asOf: Timestamp | undefined;
  readonly onChange: (asOf: Timestamp | undefined) => void;
}): JSX.Element {
  const texts = useTexts(userGrantTexts).asOf;
  const { exactDate } = useFormats();
  const id = useId();
  const [typed, setTyped] = useState("");
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        onChange(readLocalDate(typed));
      }}
    >
      <div class="filter">
        <label for={id}>{texts.label}</label>
        <input
          id={id}
          type="datetime-local"
          step={1}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </div>
      <div class="actions">
        <Button type="submit">{texts.show}</Button>
        {asOf !== undefined && (
          <Button
            look="quiet"
            onClick={() => {
              setTyped("");
              onChange(undefined);
            }}
          >
            {texts.now}
          </Button>
        )}
      </div>
      {asOf !== undefined && (
        <p role="status">{texts.shown(`${exactDate(asOf)} (${toUtcText(timestampDate(asOf))})`)}</p>
      )}
    </form>
  );
}
