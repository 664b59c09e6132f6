import {
  type ApplicationId,
  type OrganizationId,
  type SessionId,
  toId,
  type UserId,
} from "../../../src/kernel/base/ids.ts";
import { parsePlace } from "../../../src/config/place.ts";
import type { Flags } from "../../../src/config/values.ts";
import {
  listNamesOfSessions,
  putParticipation,
} from "../../../src/identity/logins/saml-participations/repository.ts";
import {
  createParticipation,
  openNameId,
} from "../../../src/identity/logins/saml-participations/saml-participation.ts";
import { type Installation, openInstallation } from "../../../src/app/installation.ts";

/** A NameID, as the installation can read it. */
export interface HeldName {
  /** The master key that it is encrypted with. */
  readonly keyId: string;
  /** Undefined: that key is not in the key file. */
  readonly value: string | undefined;
}

/** Stores, in this process, so many names as logins by SAML leave them, each in a session of its own that lasts for a day. */
export async function putSamlNames(where: Flags, count: number): Promise<void> {
  await inInstallation(where, async ({ database, keyring, clock }) => {
    await database.write(async (tx) => {
      for (const sessionId of sessionIds(count)) {
        const participation = createParticipation(keyring, {
          sessionId,
          applicationId: toId<ApplicationId>("1"),
          userId: toId<UserId>("2"),
          userOrganizationId: toId<OrganizationId>("3"),
          applicationOrganizationId: toId<OrganizationId>("3"),
          sessionIndex: "_index",
          authenticationDateMs: clock.nowMs(),
          expirationMs: clock.nowMs() + 24 * 3_600_000,
          nameId: { format: "PERSISTENT", value: nameOf(sessionId) },
        });
        await putParticipation(tx, participation);
      }
    });
  });
}

/** Returns the names that `putSamlNames` has stored. Throws when one cannot be decrypted or is not that of its session. */
export async function openSamlNames(where: Flags, count: number): Promise<readonly HeldName[]> {
  return await inInstallation(where, async ({ database, keyring }) => {
    const found = await database.read((tx) => listNamesOfSessions(tx, sessionIds(count)));
    return found.map((each) => {
      const value = openNameId(keyring, each)?.value;
      if (value !== undefined && value !== nameOf(each.sessionId))
        throw new Error(`${value} is in the session ${each.sessionId}`);
      return { keyId: each.sealedNameId.keyId, value };
    });
  });
}

function sessionIds(count: number): readonly SessionId[] {
  return Array.from({ length: count }, (_each, at) => toId<SessionId>(String(1000 + at)));
}

function nameOf(sessionId: SessionId): string {
  return `name in ${sessionId}`;
}

async function inInstallation<T>(
  where: Flags,
  use: (context: Installation["context"]) => Promise<T>,
): Promise<T> {
  const installation = await openInstallation(parsePlace(where, {}), { isNewAllowed: false });
  try {
    return await use(installation.context);
  } finally {
    await installation.close();
  }
}
