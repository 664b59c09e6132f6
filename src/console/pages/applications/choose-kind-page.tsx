import type { JSX } from "preact";
import { Link } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { PageFrame } from "../../ui/page-frame.tsx";
import { applicationKinds, toApplications } from "./shared/application.ts";
import { applicationTexts } from "./shared/texts.ts";

/** Asks of which kind the new application is. */
export function ChooseKindPage({ params }: PageProps<"organization" | "project">): JSX.Element {
  const texts = useTexts(applicationTexts);
  const list = toApplications(params);
  return (
    <PageFrame title={texts.add} lead={texts.choose} parent={{ to: list, title: texts.title }}>
      <ul class="cards">
        {applicationKinds.map((kind) => (
          <li key={kind}>
            <Link to={`${list}/new/${kind}`}>
              {texts.kinds[kind]} <span class="hint">{texts.kindHints[kind]}</span>
            </Link>
          </li>
        ))}
      </ul>
    </PageFrame>
  );
}
