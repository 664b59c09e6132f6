import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useApi } from "../api/api.ts";
import { Link, useNavigation } from "../routing/navigation.tsx";
import type { Tabs } from "../routing/page-entry.ts";
import { usePages } from "../routing/page-list.ts";
import { fillPattern } from "../routing/routes.ts";
import { useLanguage } from "../texts/use-texts.ts";

/** Props of a page's frame. */
export interface PageFrameProps {
  /** The heading, and the title of the window. */
  readonly title: string;
  /** A mark beside the heading, such as the state of the object. */
  readonly mark?: ComponentChildren;
  /** A sentence below the heading. */
  readonly lead?: ComponentChildren;
  /** The page that this one belongs to. */
  readonly parent?: { readonly to: string; readonly title: string } | undefined;
  /** Buttons for what can be done here. */
  readonly actions?: ComponentChildren;
  /** The tabs of the object: all pages of the table that say they are one, for the values of their variables. */
  readonly tabs?:
    | { readonly of: readonly Tabs[]; readonly params: Readonly<Record<string, string>> }
    | undefined;
  readonly children: ComponentChildren;
}

/** The frame of every page: heading, actions, tabs. The heading takes the focus when the page appears. */
export function PageFrame({
  title,
  mark,
  lead,
  parent,
  actions,
  tabs,
  children,
}: PageFrameProps): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  const { path } = useNavigation().place;
  useEffect(() => {
    document.title = `${title} – Gatehouse`;
  }, [title]);
  useEffect(() => heading.current?.focus({ preventScroll: true }), [path]);
  return (
    <>
      <header class="page-head">
        <div>
          {parent !== undefined && (
            <p class="parent">
              <Link to={parent.to}>{parent.title}</Link>
            </p>
          )}
          <div class="title">
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            {mark}
          </div>
          {lead !== undefined && <div class="lead">{lead}</div>}
        </div>
        {actions !== undefined && actions !== false && <div class="actions">{actions}</div>}
      </header>
      {tabs !== undefined && <TabBar {...tabs} label={title} />}
      {children}
    </>
  );
}

function TabBar({
  of,
  params,
  label,
}: NonNullable<PageFrameProps["tabs"]> & { readonly label: string }): JSX.Element | null {
  const { language } = useLanguage();
  const { permissions, organizationId } = useApi();
  const { path } = useNavigation().place;
  const tabs = usePages().flatMap(({ tab, pattern, title, permission }) => {
    const to = tab !== undefined && of.includes(tab) ? fillPattern(pattern, params) : undefined;
    const isOffered = permission === undefined || permissions.canSomewhere(permission, organizationId);
    return to === undefined || !isOffered ? [] : [{ to, title: title[language] }];
  });
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    // In a narrow window the tab of the page may be beyond the edge.
    bar.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [path]);
  if (tabs.length < 2) return null;
  return (
    <nav ref={bar} class="tabs" aria-label={label}>
      <ul>
        {tabs.map(({ to, title }) => (
          <li key={to}>
            <Link to={to} isCurrent={to === path}>
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
