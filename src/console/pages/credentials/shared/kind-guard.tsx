import type { ComponentChildren, JSX } from "preact";
import type { User } from "../../../../../gen/console/gatehouse/v1/user_pb.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { credentialTexts } from "./credential-texts.ts";

/** Shows what is inside for users of a kind. Only an address that was made up leads to the page of a user of the other one. */
export function KindGuard({
  user,
  kind,
  children,
}: {
  readonly user: User;
  readonly kind: "human" | "service";
  readonly children: ComponentChildren;
}): JSX.Element {
  const texts = useTexts(credentialTexts).wrongKind;
  if (user.type.case === kind) return <>{children}</>;
  return (
    <div class="empty">
      <p class="empty-title">{texts.title}</p>
      <p>{texts.text}</p>
    </div>
  );
}
