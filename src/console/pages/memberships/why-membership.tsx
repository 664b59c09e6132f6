import type { JSX } from "preact";
import type { Membership } from "../../../../gen/console/gatehouse/v1/membership_pb.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { WhyButton } from "../../ui/why/why-button.tsx";
import { tellingPermissions } from "./roles.ts";
import { membershipTexts, titleOfRole } from "./texts.ts";

/** Says why the user has what the roles of their membership allow or not: of each role the permission that tells it from lesser ones. */
export function WhyMembership({
  of: { userId, roles, scope },
}: {
  readonly of: Membership;
}): JSX.Element | false {
  const texts = useTexts(membershipTexts);
  if (scope.case === undefined) return false;
  const questions = tellingPermissions(roles).map(({ role, permission }) => ({
    title: texts.allowing(titleOfRole(texts, role), permission),
    question: { case: "permission", value: { permission, scope } } as const,
  }));
  return (
    userId !== "" && questions.length > 0 && <WhyButton look="quiet" userId={userId} questions={questions} />
  );
}
