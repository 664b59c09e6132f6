import type { JSX } from "preact";
import { Link } from "../../routing/navigation.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { periodTexts } from "../../ui/period/texts.ts";
import { StateMark } from "../../ui/state-mark.tsx";
import type { GrantFacts } from "./grant-facts.ts";
import { explain, type GrantLink } from "./reasons.ts";
import { userGrantTexts } from "./texts.ts";

/** Says what a user grant gives now, and why: all that it rests on, with its state. */
export function WhyPanel({ facts }: { readonly facts: GrantFacts }): JSX.Element {
  const texts = useTexts(userGrantTexts).why;
  const periods = useTexts(periodTexts);
  const { grant, links, effective } = facts;
  const verdict = explain(links, grant.roleKeys, effective);
  const namesOf = (some: readonly GrantLink[]): string =>
    some
      .map(({ kind, title }) => (title === "" ? texts.link[kind] : `${texts.link[kind]} (${title})`))
      .join(", ");
  const say = (): string => {
    switch (verdict.kind) {
      case "counts":
        return texts.counts(verdict.roles.join(", "));
      case "empty":
        return texts.empty;
      case "hindered":
        return texts.hindered(namesOf(verdict.links));
      case "unseen":
        return texts.unseen(namesOf(verdict.links));
    }
  };
  return (
    <section class="panel">
      <h2>{texts.title}</h2>
      <p role="status" class={verdict.kind === "counts" ? "verdict good" : "verdict"}>
        {say()}
      </p>
      <h3>{texts.chain}</h3>
      <ul class="chain">
        {links.map((link) => (
          <li key={link.kind}>
            <span>
              {texts.link[link.kind]}
              {link.title !== "" && (
                <>
                  {": "}
                  {link.to === undefined ? link.title : <Link to={link.to}>{link.title}</Link>}
                </>
              )}
            </span>
            {link.state === undefined ? (
              <span class="hint">{texts.unknown}</span>
            ) : link.standing === undefined ? (
              <StateMark state={link.state} />
            ) : (
              <span class="state inactive">{periods[link.standing]}</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
