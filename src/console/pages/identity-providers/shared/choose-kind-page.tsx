import type { JSX } from "preact";
import { Link } from "../../../routing/navigation.tsx";
import type { PageProps } from "../../../routing/page-entry.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { PageFrame } from "../../../ui/page-frame.tsx";
import { providerKinds, toNewProvider, toProviders } from "./provider.ts";
import { providerTexts } from "./texts.ts";

/** Asks of which kind the new identity provider is. */
export function ChooseProviderKindPage({ params }: PageProps<"organization">): JSX.Element {
  const texts = useTexts(providerTexts);
  const list = toProviders(params.organization);
  return (
    <PageFrame title={texts.add} lead={texts.choose} parent={{ to: list, title: texts.title }}>
      <ul class="cards">
        {providerKinds.map((kind) => (
          <li key={kind}>
            <Link to={toNewProvider(params.organization, kind)}>
              {texts.kinds[kind]} <span class="hint">{texts.kindHints[kind]}</span>
            </Link>
          </li>
        ))}
      </ul>
    </PageFrame>
  );
}
