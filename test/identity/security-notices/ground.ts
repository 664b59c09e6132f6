import type { Editor } from "../../../src/kernel/base/call.ts";
import { type LoginPolicyId, type OrganizationId, toId, type UserId } from "../../../src/kernel/base/ids.ts";
import type { MailMessage } from "../../../src/kernel/base/message-providers.ts";
import type { NewEvent } from "../../../src/kernel/events/event.ts";
import { addLoginPolicy, defaultSettings } from "../../../src/identity/policies/login-policy.ts";
import { createSecurityRounds } from "../../../src/identity/security-notices/rounds.ts";
import { addHumanUser } from "../../../src/identity/people/user/user.ts";
import type { FeatureFixture } from "../../support/feature-fixture.ts";
import { humanProfile } from "../../support/samples.ts";

/** Events of one user without the fields that follow from it. */
export type UserEvent = {
  readonly [T in NewEvent["type"]]: T extends `user.${string}`
    ? Pick<Extract<NewEvent, { type: T }>, "type" | "payload">
    : never;
}[NewEvent["type"]];

/** What is stored of a notice. */
export interface NoticeRow {
  readonly user_id: string;
  readonly email: string;
  readonly change: string;
  readonly tries: number;
}

/** A user with a verified email address, an hour after the account was made. */
export async function addVerified(
  fixture: FeatureFixture,
  organizationId: OrganizationId,
  profile: Parameters<typeof humanProfile>[0] = {},
) {
  const id = toId<UserId>(fixture.context.ids.next());
  const email = `${id}@example.com`;
  const about = { aggregateId: id, resourceOwner: organizationId };
  await fixture.record(addHumanUser(id, organizationId, humanProfile({ username: id, email, ...profile })), {
    ...about,
    type: "user.email.verified",
    payload: {},
  });
  fixture.clock.turn(3_600_000);
  return {
    id,
    email,
    /** Records events in one command of the editor; of the user themselves by default. */
    record: (events: readonly UserEvent[], editor: Editor = id) =>
      fixture.database.write((tx) =>
        fixture.context.log.append(
          tx,
          { editor, remoteAddress: "203.0.113.7", requestId: "test" },
          events.map((event) => ({ ...about, ...event })),
        ),
      ),
  };
}

/** Lists the notices that wait. */
export function listNotices(fixture: FeatureFixture): Promise<readonly NoticeRow[]> {
  return fixture.database.read((tx) =>
    tx.all("SELECT user_id, email, change, tries FROM security_notices ORDER BY sequence"),
  );
}

/** Sets the policy of an organization, or of the instance. */
export async function setNotify(
  fixture: FeatureFixture,
  resourceOwner: string,
  isOn: boolean,
): Promise<void> {
  const settings = { ...defaultSettings, notifySecurityChanges: isOn };
  const id = toId<LoginPolicyId>(fixture.context.ids.next());
  await fixture.record(addLoginPolicy({ id, resourceOwner, settings }));
}

/** Processes that send notices. `failWith` makes their provider reject, `hold` makes it wait. */
export function createTeller(fixture: FeatureFixture, maxPerOrganization = 100) {
  const mails: MailMessage[] = [];
  const asked: string[] = [];
  const failures: string[] = [];
  const state: { hold?: Promise<void>; failWith?: Error | undefined } = {};
  const send = async (mail: MailMessage) => {
    asked.push(mail.to);
    await state.hold;
    if (state.failWith !== undefined) throw state.failWith;
    mails.push(mail);
  };
  const start = () =>
    createSecurityRounds({
      context: fixture.context,
      provider: { send },
      maxPerOrganization,
      linkOf: (organizationId) => `https://id.example/account?organization=${organizationId}`,
      onFailure: ({ detail }) => void failures.push(detail),
      onError: (error) => {
        throw error;
      },
    });
  return {
    mails,
    /** Where the provider was asked to send something, whatever became of it. */
    asked,
    failures,
    state,
    start,
    /** Lets a process look once, and waits for what comes of it. */
    async tell() {
      const rounds = start();
      rounds.look();
      await rounds.stop(new Promise<never>(() => {}));
    },
  };
}
