import type { Keyring } from "../../../kernel/base/keyring.ts";
import {
  openNameId,
  type SamlParticipation,
} from "../../../identity/logins/saml-participations/saml-participation.ts";
import type { LogoutMember } from "./chain.ts";

/**
 * Returns the applications that took part in a session, and whether others took part that cannot be notified, because a key
 * was destroyed.
 * `participations`: under the names by which they are asked, the last of each application first.
 */
export function listMembers(
  keyring: Pick<Keyring, "decrypt" | "keyIds">,
  participations: readonly SamlParticipation[],
): { readonly members: readonly LogoutMember[]; readonly isPartial: boolean } {
  const applications = Map.groupBy(participations, ({ applicationId }) => applicationId);
  const members: LogoutMember[] = [];
  for (const [applicationId, names] of applications) {
    const [last, ...others] = names.flatMap((each) => {
      const nameId = openNameId(keyring, each);
      return nameId === undefined ? [] : [{ ...each, nameId }];
    });
    if (last === undefined) continue;
    const { sessionId, sessionIndex, nameId } = last;
    const otherNames = others.map((each) => each.nameId);
    members.push({ applicationId, sessionId, sessionIndex, nameId, otherNames });
  }
  return { members, isPartial: members.length < applications.size };
}
