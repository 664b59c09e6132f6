import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useTexts } from "../../texts/use-texts.ts";
import { type BrandingValues, toPreviewQuery } from "./branding-values.ts";
import { brandingTexts } from "./texts.ts";

const devices = ["phone", "desktop"] as const;
const schemes = ["LIGHT", "DARK"] as const;

/** The pause after which what is typed is shown. */
const pauseMs = 300;

/** Shows the sign-in page with the values of the form, in the width of a phone or a computer. */
export function Preview({
  path,
  values,
  version,
}: {
  readonly path: string;
  readonly values: BrandingValues;
  /** Changes when images do. */
  readonly version: string;
}): JSX.Element {
  const texts = useTexts(brandingTexts);
  const [device, setDevice] = useState<(typeof devices)[number]>("phone");
  const [scheme, setScheme] = useState<(typeof schemes)[number]>(values.theme === "3" ? "DARK" : "LIGHT");
  const query = toPreviewQuery(values, scheme);
  const [shown, setShown] = useState(query);
  useEffect(() => {
    const timer = setTimeout(() => setShown(query), pauseMs);
    return () => clearTimeout(timer);
  }, [query]);
  return (
    <section class="panel">
      <h2>{texts.preview}</h2>
      <div class="actions">
        <Choice
          name={texts.device}
          options={devices}
          words={texts.devices}
          chosen={device}
          onChoose={(value) => setDevice(value)}
        />
        <Choice
          name={texts.scheme}
          options={schemes}
          words={texts.schemes}
          chosen={scheme}
          onChoose={(value) => setScheme(value)}
        />
      </div>
      <div class={`page-preview ${device}`}>
        <iframe key={version} title={texts.previewOf} src={`${path}?${shown}`} tabIndex={-1} />
      </div>
      <p>
        <a href={path} target="_blank" rel="noopener noreferrer">
          {texts.openPreview}
        </a>
      </p>
    </section>
  );
}

function Choice<Value extends string>({
  name,
  options,
  words,
  chosen,
  onChoose,
}: {
  readonly name: string;
  readonly options: readonly Value[];
  readonly words: Readonly<Record<Value, string>>;
  readonly chosen: Value;
  onChoose(value: Value): void;
}): JSX.Element {
  return (
    <label class="inline">
      {name}{" "}
      <select
        value={chosen}
        onChange={({ currentTarget }) => {
          const value = options.find((each) => each === currentTarget.value);
          if (value !== undefined) onChoose(value);
        }}
      >
        {options.map((option) => (
          <option key={option} value={option}>
            {words[option]}
          </option>
        ))}
      </select>
    </label>
  );
}
