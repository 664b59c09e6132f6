import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { JSX } from "preact";
import { useApi } from "../../../api/api.ts";
import { useQuery } from "../../../api/use-query.ts";
import { Link } from "../../../routing/navigation.tsx";
import { usePages } from "../../../routing/page-list.ts";
import { matchRoute, toPath } from "../../../routing/routes.ts";
import { useFormats, useTexts } from "../../../texts/use-texts.ts";
import { QueryView } from "../../../ui/query-view.tsx";
import { type Attention, findAttention } from "./find-attention.ts";
import { isFailedDelivery } from "./signals.ts";
import { attentionTexts } from "./texts.ts";

/** What needs attention in the organizations of the user, who may read events, each a link to its object. */
export function AttentionPanel(): JSX.Element {
  const texts = useTexts(attentionTexts);
  const { transport } = useApi();
  return (
    <section class="panel" aria-labelledby="attention-title">
      <h2 id="attention-title">{texts.title}</h2>
      <AttentionList transport={transport} />
    </section>
  );
}

function AttentionList({ transport }: Pick<ReturnType<typeof useApi>, "transport">): JSX.Element {
  const texts = useTexts(attentionTexts);
  const query = useQuery(() => findAttention(transport), [transport]);
  return (
    <QueryView query={query}>
      {({ found, nowMs, isCut }) =>
        found.length === 0 ? (
          <p class="hint">{isCut ? texts.nothingNew : texts.nothing}</p>
        ) : (
          <>
            <ul class="attention">
              {found.map((each) => (
                <AttentionItem
                  key={`${each.signal.ownerId} ${each.signal.itemId} ${each.signal.kind}`}
                  attention={each}
                  nowMs={nowMs}
                />
              ))}
            </ul>
            {isCut && <p class="hint">{texts.more}</p>}
          </>
        )
      }
    </QueryView>
  );
}

function AttentionItem({
  attention,
  nowMs,
}: {
  readonly attention: Attention;
  readonly nowMs: number;
}): JSX.Element {
  const texts = useTexts(attentionTexts);
  const { date } = useFormats();
  const pages = usePages();
  const { signal, title } = attention;
  const { kind, expiryMs, sequence } = signal;
  const place = placesOf(attention).find((path) => matchRoute(pages, path) !== undefined) ?? "/";
  const when = date(timestampFromMs(expiryMs ?? Number(sequence / 1000n)));
  return (
    <li>
      <Link to={place}>{title}</Link>
      <span>
        {texts[kind]}
        {": "}
        {expiryMs === undefined
          ? isFailedDelivery(kind)
            ? texts.last(when)
            : texts.since(when)
          : expiryMs < nowMs
            ? texts.expired(when)
            : texts.expires(when)}
      </span>
    </li>
  );
}

/** The page where it can be dealt with, and the one of the object itself. */
function placesOf({ signal, projectId }: Attention): readonly string[] {
  const { kind, organizationId: organization, ownerId } = signal;
  const user = { organization, user: ownerId };
  const application = { organization, project: projectId ?? "", application: ownerId };
  const profile = toPath("/orgs/:organization/users/:user", user);
  switch (kind) {
    case "token":
      return [toPath("/orgs/:organization/users/:user/tokens", user), profile];
    case "key":
    case "secret":
      return [toPath("/orgs/:organization/users/:user/keys", user), profile];
    case "factor":
      return [toPath("/orgs/:organization/users/:user/sign-in", user), profile];
    case "locked":
    case "mail":
    case "sms":
      return [profile];
    case "application-key":
    case "metadata":
    case "logout":
      return [
        toPath("/orgs/:organization/projects/:project/applications/:application", application),
        toPath("/orgs/:organization/projects/:project", { organization, project: projectId ?? "" }),
      ];
  }
}
