import type { JSX } from "preact";
import { useNavigation } from "../../routing/navigation.tsx";
import { toPath } from "../../routing/routes.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { Button } from "../../ui/button.tsx";
import { userGrantTexts } from "./texts.ts";

/** The ways to give roles: to several users, or to one. */
export function AddButtons({
  organization,
  project,
}: {
  readonly organization: string;
  readonly project?: string;
}): JSX.Element {
  const texts = useTexts(userGrantTexts);
  const { go } = useNavigation();
  const query = project === undefined ? "" : `?project=${project}`;
  return (
    <>
      <Button
        onClick={() => go(`${toPath("/orgs/:organization/user-grants/several", { organization })}${query}`)}
      >
        {texts.addSeveral}
      </Button>
      <Button
        look="first"
        onClick={() => go(`${toPath("/orgs/:organization/user-grants/new", { organization })}${query}`)}
      >
        {texts.add}
      </Button>
    </>
  );
}
