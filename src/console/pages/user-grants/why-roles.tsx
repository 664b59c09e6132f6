import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { JSX } from "preact";
import { WhyButton } from "../../ui/why/why-button.tsx";

/** Says why the user has the roles of a project or not. */
export function WhyRoles({
  userId,
  asOf,
  of: { projectId, roleKeys },
}: {
  readonly userId: string;
  readonly asOf?: Timestamp | undefined;
  readonly of: { readonly projectId: string; readonly roleKeys: readonly string[] };
}): JSX.Element | false {
  const questions = roleKeys.map((roleKey) => ({
    title: roleKey,
    question: { case: "role", value: { projectId, roleKey } } as const,
  }));
  return questions.length > 0 && <WhyButton look="quiet" userId={userId} questions={questions} asOf={asOf} />;
}
