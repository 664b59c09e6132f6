import type { JSX } from "preact";
import { useTexts } from "../../../texts/use-texts.ts";
import { credentialTexts } from "./credential-texts.ts";

/** Tells users who look at themselves where they change what they sign in with: there they prove anew who they are. */
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
