import type { JSX } from "preact";
import { useApi } from "../../../api/api.ts";
import { useQuery } from "../../../api/use-query.ts";
import { Link } from "../../../routing/navigation.tsx";
import { usePages } from "../../../routing/page-list.ts";
import { matchRoute } from "../../../routing/routes.ts";
import { useFormats, useTexts } from "../../../texts/use-texts.ts";
import { useNames } from "../../../ui/names/use-names.ts";
import { QueryView } from "../../../ui/query-view.tsx";
import { findEnds, type SoonEnding } from "./find-ends.ts";
import { endsTexts } from "./texts.ts";

/** What ends within 30 days: in an organization, or memberships anywhere, each a link to its page. */
export function EndsPanel({ organizationId }: { readonly organizationId: string | undefined }): JSX.Element {
  const texts = useTexts(endsTexts);
  const { transport, permissions } = useApi();
  const names = useNames();
  const query = useQuery(
    () => findEnds(transport, { organizationId, permissions, names }),
    [transport, organizationId, permissions, names],
  );
  return (
    <section class="panel" aria-labelledby="ends-title">
      <h2 id="ends-title">{texts.title}</h2>
      <QueryView query={query}>
        {({ found, isCut }) =>
          found.length === 0 ? (
            <p class="hint">{texts.nothing}</p>
          ) : (
            <>
              <ul class="attention">
                {found.map((right) => (
                  <EndingItem key={right.id} right={right} />
                ))}
              </ul>
              {isCut && <p class="hint">{texts.more}</p>}
            </>
          )
        }
      </QueryView>
    </section>
  );
}

function EndingItem({ right }: { readonly right: SoonEnding }): JSX.Element {
  const texts = useTexts(endsTexts);
  const { date } = useFormats();
  const pages = usePages();
  const { kind, title, what, endDate, to } = right;
  const about = kind === "projectGrant" ? texts[kind] : texts[kind](what);
  return (
    <li>
      {matchRoute(pages, to) === undefined ? title : <Link to={to}>{title}</Link>}
      <span>
        {about}
        {": "}
        {texts.ends(date(endDate))}
      </span>
    </li>
  );
}
