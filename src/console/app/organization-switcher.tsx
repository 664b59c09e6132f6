import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useApi } from "../api/api.ts";
import { useFoundOrganizations, useOrganizations } from "../api/use-organizations.ts";
import { useNavigation } from "../routing/navigation.tsx";
import type { PageEntry } from "../routing/page-entry.ts";
import { usePages } from "../routing/page-list.ts";
import { useTexts } from "../texts/use-texts.ts";
import { Dialog } from "../ui/dialog.tsx";
import { placeOfOrganization } from "../ui/menu.ts";
import { useOrganizationTitle } from "../ui/names/organization-title.ts";
import { QueryView } from "../ui/query-view.tsx";
import { appTexts } from "./texts.ts";

const shownCount = 50;

/** The page that is shown. */
interface Here {
  readonly current: PageEntry | undefined;
}

/** Says which organization the pages are about, and goes to another one: to the same page of the menu, where that is offered. */
export function OrganizationSwitcher({ current: page }: Here): JSX.Element {
  const texts = useTexts(appTexts);
  const { organizationId } = useApi();
  const [isOpen, setIsOpen] = useState(false);
  const organizations = useOrganizations();
  const titleOf = useOrganizationTitle();
  const current = organizations.data?.organizations.find(({ id }) => id === organizationId);
  const nameIfKnown = current === undefined ? organizationId : titleOf(current);
  const name = organizations.isLoading && current === undefined ? undefined : nameIfKnown;
  return (
    <>
      <button
        type="button"
        class="switcher"
        aria-label={name === undefined ? undefined : texts.switchFrom(name)}
        onClick={() => setIsOpen(true)}
      >
        {name ?? texts.chooseOrganization}
      </button>
      {isOpen && (
        <Dialog title={texts.chooseOrganization} onClose={() => setIsOpen(false)}>
          <QueryView query={organizations}>
            {() => <Choices current={page} onDone={() => setIsOpen(false)} />}
          </QueryView>
        </Dialog>
      )}
    </>
  );
}

function Choices({ current, onDone }: Here & { readonly onDone: () => void }): JSX.Element {
  const texts = useTexts(appTexts);
  const titleOf = useOrganizationTitle();
  const { permissions } = useApi();
  const pages = usePages();
  const { go } = useNavigation();
  const [text, setText] = useState("");
  const found = useFoundOrganizations(text).slice(0, shownCount);
  const choose = (organization: string): void => {
    onDone();
    go(placeOfOrganization(organization, { pages, permissions, current }));
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        const [first] = found;
        if (first !== undefined) choose(first.id);
      }}
    >
      <input
        type="search"
        autofocus
        autocomplete="off"
        aria-label={texts.searchOrganizations}
        placeholder={texts.searchOrganizations}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <ul class="choices">
        {found.map((organization) => (
          <li key={organization.id}>
            <button type="button" onClick={() => choose(organization.id)}>
              {titleOf(organization)}
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="hint">{texts.noOrganization}</p>}
    </form>
  );
}
