import type { JSX } from "preact";
import { useTexts } from "../../../texts/use-texts.ts";
import { credentialTexts } from "./credential-texts.ts";

/** Shows users on their own page where to change what they sign in with: that page asks for a new login. */
export function OwnNote(): JSX.Element {
  const texts = useTexts(credentialTexts).own;
  return (
    <div class="note">
      <p>{texts.text}</p>
      <p>
        <a href="/account">{texts.link}</a>
      </p>
    </div>
  );
}
