import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useApi } from "../api/api.ts";
import { Link, useNavigation } from "../routing/navigation.tsx";
import type { Menu, PageEntry } from "../routing/page-entry.ts";
import { usePages } from "../routing/page-list.ts";
import { fillPattern } from "../routing/routes.ts";
import { useLanguage, useTexts } from "../texts/use-texts.ts";
import { Button } from "../ui/button.tsx";
import { findMenuPage, isOffered } from "../ui/menu.ts";
import { useLater } from "../ui/use-later.ts";
import { nameOfUser } from "../ui/user-name.ts";
import { OrganizationSwitcher } from "./organization-switcher.tsx";
import { appTexts } from "./texts.ts";
import { useShortcuts } from "./use-shortcuts.ts";

/** Props of what stands around every page. */
export interface ShellProps {
  /** The page that is shown. */
  readonly current: PageEntry | undefined;
  readonly onSignOut: () => void;
  readonly children: ComponentChildren;
}

/** What stands around every page: the organization, search, the user, and the navigation at the side. */
export function Shell({ current, onSignOut, children }: ShellProps): JSX.Element {
  const texts = useTexts(appTexts);
  const { path } = useNavigation().place;
  const [isMenuOpen, setIsMenuOpen] = useState(false);
  const [isPaletteOpen, setIsPaletteOpen] = useState(false);
  const Palette = useLater(async () => (await import("./palette.tsx")).Palette, true);
  useShortcuts(() => setIsPaletteOpen(true));
  useEffect(() => setIsMenuOpen(false), [path]);
  return (
    <>
      <a class="skip" href="#content">
        {texts.skip}
      </a>
      <header class="bar">
        <button
          type="button"
          class="menu-button"
          aria-expanded={isMenuOpen}
          aria-controls="menu"
          onClick={() => setIsMenuOpen(!isMenuOpen)}
        >
          {texts.menu}
        </button>
        <Link to="/" class="brand">
          {texts.name}
        </Link>
        <OrganizationSwitcher current={current} />
        <button type="button" class="search-button" onClick={() => setIsPaletteOpen(true)}>
          <span>{texts.search}</span> <kbd>{texts.searchKeys}</kbd>
        </button>
        <UserMenu onSignOut={onSignOut} />
      </header>
      <div class="body">
        <nav id="menu" class={isMenuOpen ? "menu open" : "menu"} aria-label={texts.navigation}>
          <MenuPart menu="organization" title={texts.organization} current={current} />
          <MenuPart menu="instance" title={texts.instance} current={current} />
        </nav>
        <main id="content" tabIndex={-1}>
          {children}
        </main>
      </div>
      {isPaletteOpen && Palette !== undefined && <Palette onClose={() => setIsPaletteOpen(false)} />}
    </>
  );
}

function MenuPart({
  menu,
  title,
  current,
}: {
  readonly menu: Menu;
  readonly title: string;
  readonly current: PageEntry | undefined;
}): JSX.Element | null {
  const { permissions, organizationId } = useApi();
  const { language } = useLanguage();
  const params: Readonly<Record<string, string>> =
    organizationId === undefined ? {} : { organization: organizationId };
  const pages = usePages();
  const items = pages.flatMap((page) => {
    const to = page.menu === menu ? fillPattern(page.pattern, params) : undefined;
    return to === undefined || !isOffered(page, permissions, organizationId) ? [] : [{ page, to }];
  });
  if (items.length === 0) return null;
  const owner = findMenuPage(pages, current);
  return (
    <section>
      <h2>{title}</h2>
      <ul>
        {items.map(({ page, to }) => (
          <li key={to}>
            <Link to={to} isCurrent={page === owner}>
              {page.title[language]}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function UserMenu({ onSignOut }: { readonly onSignOut: () => void }): JSX.Element {
  const texts = useTexts(appTexts);
  const { language, choose } = useLanguage();
  const { user } = useApi();
  const name = nameOfUser(user);
  return (
    <details class="user-menu">
      <summary>
        <span aria-hidden="true">{toInitials(name)}</span>
        <span class="hidden">{texts.signedInAs(name)}</span>
      </summary>
      <div class="popup">
        <p>
          <strong>{name}</strong>
          <br />
          <span class="hint">{user.username}</span>
        </p>
        <p>
          <a href="/account">{texts.account}</a>
        </p>
        <p>
          <Button look="quiet" onClick={() => choose(language === "en" ? "de" : "en")}>
            {language === "en" ? "Deutsch" : "English"}
          </Button>
        </p>
        <Button onClick={onSignOut}>{texts.signOut}</Button>
      </div>
    </details>
  );
}

/** The first letters of the first and the last word. */
function toInitials(name: string): string {
  const words = name.trim().split(/\s+/);
  return [words[0], words.length > 1 ? words.at(-1) : ""]
    .map((word) => word?.match(/./u)?.[0] ?? "")
    .join("")
    .toUpperCase();
}
