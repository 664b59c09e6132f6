import { createClient } from "@connectrpc/connect";
import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { useApi } from "../api/api.ts";
import { useFoundOrganizations, useSettled } from "../api/use-organizations.ts";
import { useQuery } from "../api/use-query.ts";
import {
  type SearchHit,
  SearchHitKind,
  SearchService,
} from "../../../gen/console/gatehouse/v1/search_service_pb.ts";
import { useNavigation } from "../routing/navigation.tsx";
import { usePages } from "../routing/page-list.ts";
import { fillPattern, toPath } from "../routing/routes.ts";
import { isolate } from "../texts/isolate.ts";
import { useLanguage, useTexts } from "../texts/use-texts.ts";
import { Dialog } from "../ui/dialog.tsx";
import { isOffered, placeOfOrganization } from "../ui/menu.ts";
import { useOrganizationTitle } from "../ui/names/organization-title.ts";
import { appTexts } from "./texts.ts";

interface Hit {
  readonly to: string;
  readonly title: string;
  readonly kind: string;
}

const foundCount = 5;
const shownCount = 24;

/** Finds pages, and objects of all organizations, by what is typed; the arrow keys choose, Enter goes there. */
export function Palette({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const texts = useTexts(appTexts);
  const { go } = useNavigation();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const { hits, isSearching } = useHits(text);
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
        {hits.length === 0 && <p class="hint">{isSearching ? texts.searching : texts.nothingFound}</p>}
      </form>
    </Dialog>
  );
}

interface Found {
  readonly hits: readonly Hit[];
  /** Whether there may be more in a moment. */
  readonly isSearching: boolean;
}

function useHits(text: string): Found {
  const texts = useTexts(appTexts);
  const { language } = useLanguage();
  const { organizationId, permissions } = useApi();
  const wanted = text.trim().toLocaleLowerCase();
  const organizations = useFoundOrganizations(text);
  const { hits: found, isSearching } = useFoundObjects(text.trim());
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
  const known = organizations.map((organization) => ({
    to: placeOfOrganization(organization.id, { pages: all, permissions }),
    title: titleOf(organization),
    kind: texts.organization,
  }));
  const hits = new Map([...pages, ...found, ...known].map((hit) => [hit.to, hit]));
  return { hits: [...hits.values()].slice(0, shownCount), isSearching };
}

/** Objects of all organizations that the user may read, as the API finds them. */
function useFoundObjects(text: string): Found {
  const texts = useTexts(appTexts);
  const { transport, permissions } = useApi();
  const pages = usePages();
  const settled = useSettled(text);
  const query = useQuery(async () => {
    if (settled === "") return { settled, hits: [] };
    const client = createClient(SearchService, transport(undefined));
    const { hits } = await client.search({ search: settled.slice(0, 200), limit: foundCount });
    return { settled, hits };
  }, [settled, transport]);
  // What was found for an earlier text is not shown.
  const { data } = query;
  if (data?.settled !== text) return { hits: [], isSearching: query.problem === undefined };
  const toHit = (hit: SearchHit): Hit[] => {
    const { kind, id, organizationId: organization, projectId: project } = hit;
    const title = titleOfHit(hit);
    const where = (name: string) =>
      hit.organizationName === "" ? name : `${name} · ${isolate(hit.organizationName)}`;
    switch (kind) {
      case SearchHitKind.ORGANIZATION:
        return [{ to: placeOfOrganization(id, { pages, permissions }), title, kind: texts.organization }];
      case SearchHitKind.PROJECT: {
        const to = toPath("/orgs/:organization/projects/:project", { organization, project: id });
        return [{ to, title, kind: where(texts.project) }];
      }
      case SearchHitKind.APPLICATION: {
        const pattern = "/orgs/:organization/projects/:project/applications/:application";
        const to = toPath(pattern, { organization, project, application: id });
        return [{ to, title, kind: where(texts.application) }];
      }
      case SearchHitKind.USER: {
        const to = toPath("/orgs/:organization/users/:user", { organization, user: id });
        return [{ to, title, kind: where(texts.user) }];
      }
      case SearchHitKind.GROUP: {
        const to = toPath("/orgs/:organization/groups/:group", { organization, group: id });
        return [{ to, title, kind: where(texts.group) }];
      }
      default:
        return []; // of a newer service
    }
  };
  return { hits: data.hits.flatMap(toHit), isSearching: false };
}

function titleOfHit({ name, username }: SearchHit): string {
  if (username === "" || username === name) return name;
  return name === "" ? username : `${isolate(name)} (${isolate(username)})`;
}
