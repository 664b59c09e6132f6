import { Component, type ComponentChildren, type JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Link } from "../routing/navigation.tsx";
import type { Page, PageEntry, PageProps } from "../routing/page-entry.ts";
import type { Match } from "../routing/routes.ts";
import { useTexts } from "../texts/use-texts.ts";
import { Button } from "../ui/button.tsx";
import { PageFrame } from "../ui/page-frame.tsx";
import { appTexts } from "./texts.ts";

/** Shows the page of a place, whose code it loads first. */
export function PageOutlet({ match }: { readonly match: Match<PageEntry> | undefined }): JSX.Element | null {
  const texts = useTexts(appTexts);
  const [loaded, setLoaded] = useState<{ readonly Page: Page<PageProps> }>();
  const [isFailed, setIsFailed] = useState(false);
  useEffect(() => {
    if (match === undefined) return;
    match.route.load().then(
      // A page gets the values of its own pattern: `definePage` has compared both.
      (page) => setLoaded({ Page: page as Page<PageProps> }),
      () => setIsFailed(true),
    );
  }, [match]);
  if (match === undefined) {
    return (
      <PageFrame title={texts.notFound.title} lead={texts.notFound.text}>
        <p>
          <Link to="/">{texts.notFound.home}</Link>
        </p>
      </PageFrame>
    );
  }
  if (isFailed) return <Crashed />;
  if (loaded === undefined) return null;
  return (
    <CrashBarrier>
      <loaded.Page params={match.params} />
    </CrashBarrier>
  );
}

/** Keeps the house standing when a page throws. */
class CrashBarrier extends Component<
  { readonly children: ComponentChildren },
  { readonly isCrashed: boolean }
> {
  override state = { isCrashed: false };

  static override getDerivedStateFromError(): { readonly isCrashed: boolean } {
    return { isCrashed: true };
  }

  override render(): ComponentChildren {
    return this.state.isCrashed ? <Crashed /> : this.props.children;
  }
}

/** After a new version was installed, the code of a page may be gone under its old name: a reload finds the new one. */
function Crashed(): JSX.Element {
  const texts = useTexts(appTexts);
  return (
    <PageFrame
      title={texts.crashed.title}
      lead={navigator.onLine ? texts.crashed.text : texts.crashed.offline}
    >
      <Button onClick={() => location.reload()}>{texts.reload}</Button>
    </PageFrame>
  );
}
