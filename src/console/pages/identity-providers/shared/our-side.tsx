import type { JSX } from "preact";
import { useTexts } from "../../../texts/use-texts.ts";
import { Code } from "../../../ui/copy-button.tsx";
import { Facts } from "../../../ui/facts.tsx";
import { providerTexts } from "./texts.ts";

/** Shows the address of ours that the other side sends people back to. `path` begins with a slash. */
export function OurAddress({
  lead,
  label,
  path,
}: {
  readonly lead: string;
  readonly label: string;
  readonly path: string;
}): JSX.Element {
  const texts = useTexts(providerTexts);
  return (
    <section class="panel addresses">
      <h2>{texts.ourSide}</h2>
      <p class="hint">{lead}</p>
      <Facts facts={[{ label, value: <Code text={location.origin + path} label={label} /> }]} />
    </section>
  );
}
