import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useApi } from "../api/api.ts";
import { useNavigation } from "../routing/navigation.tsx";
import { toPath } from "../routing/routes.ts";
import { useTexts } from "../texts/use-texts.ts";
import { Dialog } from "../ui/dialog.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { appTexts } from "./texts.ts";
import { useFoundOrganizations, useOrganizations } from "../api/use-organizations.ts";

const shownCount = 50;

/** Says which organization the pages are about, and goes to another one. */
export function OrganizationSwitcher(): JSX.Element {
  const texts = useTexts(appTexts);
  const { organizationId } = useApi();
  const [isOpen, setIsOpen] = useState(false);
  const organizations = useOrganizations();
  const current = organizations.data?.organizations.find(({ id }) => id === organizationId);
  const nameIfKnown = current === undefined ? organizationId : (current.name ?? texts.ownOrganization);
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
          <QueryView query={organizations}>{() => <Choices onDone={() => setIsOpen(false)} />}</QueryView>
        </Dialog>
      )}
    </>
  );
}

function Choices({ onDone }: { readonly onDone: () => void }): JSX.Element {
  const texts = useTexts(appTexts);
  const { go } = useNavigation();
  const [text, setText] = useState("");
  const found = useFoundOrganizations(text).slice(0, shownCount);
  const choose = (organization: string): void => {
    onDone();
    go(toPath("/orgs/:organization", { organization }));
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
        {found.map(({ id, name }) => (
          <li key={id}>
            <button type="button" onClick={() => choose(id)}>
              {name ?? texts.ownOrganization}
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="hint">{texts.noOrganization}</p>}
    </form>
  );
}
