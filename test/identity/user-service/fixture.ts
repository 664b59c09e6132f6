import type { Call, CallerLogin } from "../../../src/kernel/base/call.ts";
import type { ReadTransaction } from "../../../src/kernel/base/database.ts";
import {
  type InstanceId,
  type MembershipId,
  type OrganizationId,
  type TokenId,
  toId,
  type UserId,
} from "../../../src/kernel/base/ids.ts";
import type { MailMessage } from "../../../src/kernel/base/message-providers.ts";
import type { SmsMessage } from "../../../src/kernel/base/message-providers.ts";
import { createKeyring } from "../../../src/kernel/base/keyring.ts";
import type { HeldRoles, Role } from "../../../src/kernel/base/permission.ts";
import { systemRandom } from "../../../src/kernel/base/random.ts";
import type { NewEvent } from "../../../src/kernel/events/event.ts";
import { createEventLog } from "../../../src/kernel/events/event-log.ts";
import { createPersonalData } from "../../../src/kernel/events/personal-data.ts";
import { putSecret } from "../../../src/kernel/events/secret-store.ts";
import { isOriginOf } from "../../../src/identity/applications/oidc/repository.ts";
import { authorizationProjection } from "../../../src/identity/logins/authorizations/repository.ts";
import { identityProviderProjection } from "../../../src/identity/providers/repository.ts";
import { logoutNoticeProjection } from "../../../src/identity/protocol-state/logout-notices/repository.ts";
import { customTextsProjection } from "../../../src/identity/texts/repository.ts";
import { labelPolicyProjection } from "../../../src/identity/branding/repository.ts";
import { loginPolicyProjection } from "../../../src/identity/policies/repository.ts";
import { addMembership } from "../../../src/identity/memberships/membership.ts";
import { membershipProjection } from "../../../src/identity/memberships/repository.ts";
import { addOrganization } from "../../../src/identity/organizations/organization.ts";
import { organizationProjection } from "../../../src/identity/organizations/repository.ts";
import { projectProjection } from "../../../src/identity/projects/repository.ts";
import { sessionProjection } from "../../../src/identity/logins/sessions/repository.ts";
import {
  createUserServiceCommands,
  type UserServiceCommands,
} from "../../../src/identity/user-service/commands.ts";
import { createMailer, type Mailer } from "../../../src/identity/people/emails/mailer.ts";
import { createPasswordHasher, type PasswordHasher } from "../../../src/identity/people/passwords/hasher.ts";
import { testPasswordCost } from "../../support/password-cost.ts";
import type { BreachedPasswords } from "../../../src/identity/people/passwords/password-change.ts";
import type { SmsDelivery } from "../../../src/identity/people/phones/texter.ts";
import { userProjection } from "../../../src/identity/user-service/repository.ts";
import { addToken } from "../../../src/identity/programs/tokens/token.ts";
import {
  localRelyingParty,
  type RelyingParties,
} from "../../../src/identity/factors/authenticators/relying-party.ts";
import { searchedUsers } from "../../../src/identity/people/user/search-repository.ts";
import { addServiceUser } from "../../../src/identity/people/user/user.ts";
import { engine, type TestPlace } from "../../support/engine/engine.ts";
import { humanProfile, serviceProfile } from "../../support/samples.ts";
import { type TestContext, withIds } from "../../support/ids.ts";

const instanceId = toId<InstanceId>("1");
const system = { editor: "system", remoteAddress: undefined, requestId: "test" } as const;

/** The wall clock of a test: it stands still until it is turned. */
export interface TestClock {
  nowMs(): number;
  advance(ms: number): void;
}

/** A sender that keeps what it is given; `failWith` makes it reject, `hold` makes it wait. */
export interface TestSender<T> {
  readonly sent: T[];
  failWith: ((text: string) => Error) | undefined;
  hold: Promise<void> | undefined;
}

/** A real database with the commands of the feature, an organization and an administrator with a token. */
export interface Fixture {
  readonly context: TestContext;
  readonly clock: TestClock;
  readonly hasher: PasswordHasher;
  readonly mailer: Mailer;
  readonly sms: TestSender<SmsMessage>;
  readonly mail: TestSender<MailMessage>;
  /** Resolves when no message is being delivered. */
  idle(): Promise<void>;
  /** Messages that were reported as not delivered. */
  readonly failures: { readonly userId: string; readonly detail: string }[];
  readonly commands: UserServiceCommands;
  readonly organizationId: OrganizationId;
  readonly administrator: { readonly userId: UserId; readonly tokenId: TokenId };
  /** A call on the organization, by the administrator unless another caller is given, who then holds nothing. */
  call(caller?: {
    readonly userId: UserId;
    /** Undefined after a login. */
    readonly tokenId: TokenId | undefined;
    readonly held?: readonly HeldRoles[];
    readonly login?: CallerLogin;
  }): Call;
  addHuman(username?: string, phone?: string): Promise<UserId>;
  /** Gives the user roles, as the service itself does: on the instance, or on the organization. */
  addRole(userId: UserId, role: Role): Promise<void>;
  /** Makes a token for the user, as the service itself does. */
  addSystemToken(userId: UserId, expirationMs?: number): Promise<TokenId>;
  /** Records events, as the service itself does. */
  record(...events: readonly NewEvent[]): Promise<number>;
  eventCount(): Promise<number>;
  read<T>(fn: (tx: ReadTransaction) => Promise<T>): Promise<T>;
  rebuild(): Promise<number>;
  /** Closes the database and opens it again, as a restart does. */
  reopen(options?: FixtureOptions): Promise<Fixture>;
  readonly place: TestPlace;
  close(): Promise<void>;
}

export interface FixtureOptions {
  readonly hasSms?: boolean;
  readonly hasMail?: boolean;
  readonly maxSmsPerOrganization?: number;
  readonly maxMailPerOrganization?: number;
  readonly maxInvitationsPerOrganization?: number;
  /** Undefined: https://login.example. Empty: there is none. */
  readonly issuer?: string;
  /** An origin of an application of each organization, besides those in the database. */
  readonly applicationOrigin?: string;
  readonly relyingParties?: Partial<RelyingParties>;
  readonly breached?: BreachedPasswords;
  readonly allowSlowHashes?: boolean;
  readonly hasher?: PasswordHasher;
}

export async function openFixture(options: FixtureOptions = {}): Promise<Fixture> {
  const place = await engine.makePlace();
  const clock = createTestClock();
  const opened = await open(place, clock, options);
  const organizationId = opened.context.ids.next<OrganizationId>();
  const userId = opened.context.ids.next<UserId>();
  const tokenId = opened.context.ids.next<TokenId>();
  const token = addToken({ id: tokenId, userId, organizationId, random: systemRandom });
  await opened.context.database.write(async (tx) => {
    await putSecret(tx, token.secretId, { keyId: "", value: token.hash });
    return await opened.context.log.append(tx, system, [
      addOrganization(organizationId, "Default"),
      addServiceUser(userId, organizationId, serviceProfile({ username: "admin", name: "Administrator" })),
      token.event,
      toMembership({ id: opened.context.ids.next(), userId, role: "INSTANCE_OWNER", organizationId }),
    ]);
  });
  return toFixture({ place, clock, options, organizationId, administrator: { userId, tokenId }, ...opened });
}

type Opened = Awaited<ReturnType<typeof open>>;

function toMembership(given: {
  readonly id: MembershipId;
  readonly userId: UserId;
  readonly role: Role;
  readonly organizationId: OrganizationId;
}) {
  const { id, userId, role, organizationId } = given;
  const isOfInstance = role.startsWith("INSTANCE_");
  return addMembership({
    id,
    userId,
    scope: isOfInstance ? { kind: "instance" } : { kind: "organization", organizationId },
    roles: [role],
    resourceOwner: isOfInstance ? "1" : organizationId,
  });
}

function createTestClock(): TestClock {
  let nowMs = Date.UTC(2026, 10, 21, 12);
  return {
    nowMs: () => nowMs,
    advance: (ms) => {
      nowMs += ms;
    },
  };
}

function createTestSender<T>(): TestSender<T> {
  return { sent: [], failWith: undefined, hold: undefined };
}

function providerOf<T extends { readonly text: string }>(sender: TestSender<T>) {
  return {
    async send(message: T) {
      await sender.hold;
      sender.sent.push(message);
      if (sender.failWith !== undefined) throw sender.failWith(message.text);
    },
  };
}

async function open(place: TestPlace, clock: TestClock, options: FixtureOptions) {
  const masterKeys = [{ id: "k1", bytes: new Uint8Array(32).fill(7) }];
  const keyring = createKeyring(masterKeys, systemRandom);
  const database = await place.open({ clock, random: systemRandom });
  const personalData = createPersonalData(keyring, systemRandom, database);
  const context = withIds({
    database,
    clock,
    keyring,
    personalData,
    random: systemRandom,
    log: createEventLog({
      projections: [
        organizationProjection,
        userProjection,
        searchedUsers.projection,
        identityProviderProjection,
        projectProjection,
        membershipProjection,
        sessionProjection,
        authorizationProjection,
        logoutNoticeProjection,
        loginPolicyProjection,
        labelPolicyProjection,
        customTextsProjection,
      ],
      personalData,
    }),
  });
  const sms = createTestSender<SmsMessage>();
  const mail = createTestSender<MailMessage>();
  const failures: Fixture["failures"] = [];
  const delivery: SmsDelivery = {
    provider: options.hasSms === false ? undefined : providerOf(sms),
    onFailure: (failure) => failures.push(failure),
    ...(options.maxSmsPerOrganization === undefined
      ? {}
      : { maxPerOrganization: options.maxSmsPerOrganization }),
  };
  const relyingParties: RelyingParties = {
    list: [localRelyingParty, { id: "example.com", origins: ["https://example.com"] }],
    allowSubdomains: false,
    name: "Gatehouse",
    ...options.relyingParties,
  };
  const hasher =
    options.hasher ??
    createPasswordHasher({ parallelism: 2, maxWaiting: 64, random: systemRandom, cost: testPasswordCost });
  const mailer = createMailer(context, {
    provider: options.hasMail === false ? undefined : providerOf(mail),
    onFailure: (failure) => failures.push(failure),
    ...(options.maxMailPerOrganization === undefined
      ? {}
      : { maxPerOrganization: options.maxMailPerOrganization }),
    ...(options.maxInvitationsPerOrganization === undefined
      ? {}
      : { maxInvitationsPerOrganization: options.maxInvitationsPerOrganization }),
  });
  const { issuer = "https://login.example", applicationOrigin } = options;
  const commands = createUserServiceCommands(context, {
    instanceId,
    hasher,
    breached: options.breached,
    allowSlowHashes: options.allowSlowHashes ?? false,
    mailer,
    issuer: () => issuer || undefined,
    isOriginOf: async (tx, organizationId, origin) =>
      origin === applicationOrigin || (await isOriginOf(tx, organizationId, origin)),
    sms: delivery,
    relyingParties,
  });
  const idle = async () => void (await Promise.all([commands.phones.texter.idle(), mailer.idle()]));
  return { context, hasher, sms, mail, mailer, idle, failures, commands };
}

function toFixture(
  state: Opened & {
    place: TestPlace;
    clock: TestClock;
    options: FixtureOptions;
    organizationId: OrganizationId;
    administrator: Fixture["administrator"];
  },
): Fixture {
  const { context, commands, organizationId, administrator, place } = state;
  const owner: HeldRoles = { scope: { kind: "instance" }, roles: ["INSTANCE_OWNER"] };
  const call: Fixture["call"] = (caller = { ...administrator, held: [owner] }) => ({
    requestId: "test",
    remoteAddress: "127.0.0.1",
    caller: { held: [], ...caller, organizationId, tokenExpirationMs: undefined, isLimited: false },
    access: { organizationId, projects: "all", projectGrants: "all" },
    deadlineMs: undefined,
    signal: undefined,
  });
  const record: Fixture["record"] = (...events) =>
    context.database.write((tx) => context.log.append(tx, system, events));
  return {
    ...state,
    call,
    record,
    async eventCount() {
      const row = await context.database.read((tx) =>
        tx.get<{ n: number }>("SELECT COUNT(*) AS n FROM events"),
      );
      return row?.n ?? 0;
    },
    async addHuman(username = "ada", phone = "") {
      return (await commands.addHuman(call(), humanProfile({ username, phone }))).id;
    },
    async addRole(userId, role) {
      const event = toMembership({ id: context.ids.next(), userId, role, organizationId });
      await record(event);
    },
    async addSystemToken(userId, expirationMs) {
      const id = context.ids.next<TokenId>();
      const made = addToken({ id, userId, organizationId, random: systemRandom, expirationMs });
      await context.database.write(async (tx) => {
        await putSecret(tx, made.secretId, { keyId: "", value: made.hash });
        return await context.log.append(tx, system, [made.event]);
      });
      return id;
    },
    read: (fn) => context.database.read(fn),
    rebuild: () => context.database.write((tx) => context.log.rebuild(tx)),
    async reopen(options = state.options) {
      await state.idle();
      await context.database.close();
      return toFixture({ ...state, options, ...(await open(place, state.clock, options)) });
    },
    async close() {
      await state.idle();
      await context.database.close();
      await place.remove();
    },
  };
}
