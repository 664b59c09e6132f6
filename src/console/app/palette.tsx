import { createClient } from "@connectrpc/connect";
import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { useApi } from "../api/api.ts";
import { useFoundOrganizations, useSettled } from "../api/use-organizations.ts";
import { useQuery } from "../api/use-query.ts";
import { UserService } from "../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { useNavigation } from "../routing/navigation.tsx";
import { usePages } from "../routing/page-list.ts";
import { fillPattern, toPath } from "../routing/routes.ts";
import { isolate } from "../texts/isolate.ts";
import { useLanguage, useTexts } from "../texts/use-texts.ts";
import { Dialog } from "../ui/dialog.tsx";
import { isOffered, placeOfOrganization } from "../ui/menu.ts";
import { useOrganizationTitle } from "../ui/names/organization-title.ts";
import { nameOfUser } from "../ui/user-name.ts";
import { appTexts } from "./texts.ts";

interface Hit {
  readonly to: string;
  readonly title: string;
  readonly kind: string;
}

const shownCount = 12;

/** Finds pages, organizations and users by what is typed; the arrow keys choose, Enter goes there. */
export function Palette({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const texts = useTexts(appTexts);
  const { go } = useNavigation();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const hits = useHits(text);
  const index = Math.min(chosen, hits.length - 1);
  const follow = (hit: Hit | undefined): void => {
    if (hit === undefined) return;
    onClose();
    go(hit.to);
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    setChosen((index + step + hits.length) % Math.max(hits.length, 1));
  };
  return (
    <Dialog title={texts.search} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          follow(hits[index]);
        }}
      >
        <input
          role="combobox"
          autofocus
          autocomplete="off"
          aria-label={texts.searchHint}
          aria-expanded="true"
          aria-controls={`${id}-hits`}
          aria-activedescendant={hits.length > 0 ? `${id}-${index}` : undefined}
          placeholder={texts.searchHint}
          value={text}
          onKeyDown={onKey}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setChosen(0);
          }}
        />
        <ul class="choices" id={`${id}-hits`} role="listbox" aria-label={texts.search}>
          {hits.map((hit, at) => (
            <li
              key={hit.to}
              id={`${id}-${at}`}
              role="option"
              aria-selected={at === index}
              onClick={() => follow(hit)}
            >
              {hit.title} <span class="hint">{hit.kind}</span>
            </li>
          ))}
        </ul>
        {hits.length === 0 && <p class="hint">{texts.nothingFound}</p>}
      </form>
    </Dialog>
  );
}

function useHits(text: string): readonly Hit[] {
  const texts = useTexts(appTexts);
  const { language } = useLanguage();
  const { organizationId, permissions } = useApi();
  const wanted = text.trim().toLocaleLowerCase();
  const organizations = useFoundOrganizations(text);
  const users = useUsers(text.trim());
  const params: Readonly<Record<string, string>> =
    organizationId === undefined ? {} : { organization: organizationId };
  const all = usePages();
  const titleOf = useOrganizationTitle();
  const pages = all.flatMap((page) => {
    const to = page.menu === undefined ? undefined : fillPattern(page.pattern, params);
    const title = page.title[language];
    const fits = title.toLocaleLowerCase().includes(wanted);
    return to !== undefined && fits && isOffered(page, permissions, organizationId)
      ? [{ to, title, kind: texts.page }]
      : [];
  });
  const found = organizations.map((organization) => ({
    to: placeOfOrganization(organization.id, { pages: all, permissions }),
    title: titleOf(organization),
    kind: texts.organization,
  }));
  return [...users, ...pages, ...found].slice(0, shownCount);
}

/** Users of the organization of the place, by the whole username or email, as the API compares them. */
function useUsers(text: string): readonly Hit[] {
  const texts = useTexts(appTexts);
  const { transport, organizationId, permissions } = useApi();
  const settled = useSettled(text);
  const query = useQuery(async () => {
    const mayRead = permissions.can("user.read", { organization: organizationId });
    if (settled === "" || organizationId === undefined || !mayRead) return [];
    const client = createClient(UserService, transport(organizationId));
    const filter = settled.includes("@")
      ? [{ username: settled }, { email: settled }]
      : [{ username: settled }];
    const pages = await Promise.all(filter.map((each) => client.listUsers({ pageSize: 5, ...each })));
    return [...new Map(pages.flatMap(({ users }) => users).map((user) => [user.id, user])).values()];
  }, [settled, transport, organizationId]);
  // What was found for an earlier text is not shown.
  return (settled === text ? (query.data ?? []) : []).map((user) => ({
    to: toPath("/orgs/:organization/users/:user", { organization: organizationId ?? "", user: user.id }),
    title: `${isolate(nameOfUser(user))} (${isolate(user.username)})`,
    kind: texts.user,
  }));
}
