import {
  type ApplicationId,
  type AuthorizationId,
  type OrganizationId,
  type ProjectId,
  type SessionId,
  toId,
  type UserId,
} from "../../src/kernel/base/ids.ts";
import type { NewEvent } from "../../src/kernel/events/event.ts";
import type { OidcSettings } from "../../src/identity/applications/oidc/oidc-application.ts";
import type { LogoutNotice } from "../../src/identity/protocol-state/logout-notices/logout-notice.ts";
import { startSession, terminateSession } from "../../src/identity/logins/sessions/session.ts";
import type { FeatureFixture } from "./feature-fixture.ts";
import { oidcSettings } from "./samples.ts";

/** Users who log in to applications that hear of logouts, past all protocols. */
export interface LogoutGround {
  readonly organizationId: OrganizationId;
  readonly projectId: ProjectId;
  /** Adds an application with that back channel. */
  addApplication(uri: string, settings?: Partial<OidcSettings>): Promise<ApplicationId>;
  /** Makes a user with a session in which they have logged in to these applications. */
  logIn(...applications: readonly ApplicationId[]): Promise<GroundSession>;
  end(session: GroundSession): Promise<void>;
  /** Does both, for so many sessions of one user, in one write. */
  endSessions(count: number, ...applications: readonly ApplicationId[]): Promise<void>;
  /** The rows of a table, in the order of sessions and applications. */
  rowsOf(table: "session_applications" | "logout_notices"): Promise<readonly LogoutNotice[]>;
}

export interface GroundSession {
  readonly id: SessionId;
  readonly userId: UserId;
}

/** Lays the ground in a new organization. */
export async function layLogoutGround(fixture: FeatureFixture): Promise<LogoutGround> {
  const organizationId = await fixture.addOrganization();
  const projectId = await fixture.addProject(organizationId);
  const { ids } = fixture.context;
  const toLogin = (session: GroundSession, applications: readonly ApplicationId[]): readonly NewEvent[] => [
    ...startSession({
      ...session,
      organizationId,
      checks: [{ method: "PASSWORD" }],
      expirationMs: fixture.clock.nowMs() + 3_600_000,
    }),
    ...applications.map((applicationId) =>
      toGranted(session, applicationId, { organizationId, id: toId(ids.next()) }),
    ),
  ];
  const toEnd = ({ id }: GroundSession): NewEvent => {
    const details = { sequence: 0, creationDate: 0, resourceOwner: organizationId };
    return terminateSession({ id, details }, "logout");
  };
  return {
    organizationId,
    projectId,
    async addApplication(uri, settings = {}) {
      const id = toId<ApplicationId>(ids.next());
      const oidc = oidcSettings({ backChannelLogoutUri: uri, signingAlgorithm: "ES256", ...settings });
      await fixture.record({
        type: "application.oidc.added",
        aggregateId: id,
        resourceOwner: organizationId,
        payload: {
          project_id: projectId,
          name: `application ${id}`,
          redirect_uris: oidc.redirectUris,
          response_types: oidc.responseTypes,
          grant_types: oidc.grantTypes,
          app_type: oidc.appType,
          auth_method_type: oidc.authMethodType,
          post_logout_redirect_uris: oidc.postLogoutRedirectUris,
          dev_mode: oidc.isDevMode,
          access_token_type: oidc.accessTokenType,
          access_token_role_assertion: false,
          id_token_role_assertion: false,
          id_token_userinfo_assertion: false,
          additional_origins: [],
          signing_algorithm: oidc.signingAlgorithm,
          api_access: false,
          require_pkce: false,
          back_channel_logout_uri: uri,
        },
      });
      return id;
    },
    async logIn(...applications) {
      const userId = await fixture.addUser(organizationId);
      const id = toId<SessionId>(ids.next());
      await fixture.record(...toLogin({ id, userId }, applications));
      return { id, userId };
    },
    end: async (session) => void (await fixture.record(toEnd(session))),
    async endSessions(count, ...applications) {
      const userId = await fixture.addUser(organizationId);
      const sessions = Array.from({ length: count }, () => ({ id: toId<SessionId>(ids.next()), userId }));
      const logins = sessions.flatMap((session) => toLogin(session, applications));
      await fixture.record(...logins, ...sessions.map(toEnd));
    },
    rowsOf: (table) =>
      fixture.database.read((tx) =>
        tx.all<LogoutNotice>(
          `SELECT session_id AS "sessionId", application_id AS "applicationId", user_id AS "userId"
           ${table === "logout_notices" ? `, tries, next_ms AS "nextMs"` : ""}
           FROM ${table} ORDER BY session_id, application_id`,
        ),
      ),
  };
}

/** The event that makes an application take part in a session. */
export function toGranted(
  session: GroundSession,
  applicationId: ApplicationId,
  authorization: { readonly id: AuthorizationId; readonly organizationId: OrganizationId },
): NewEvent {
  return {
    type: "authorization.granted",
    aggregateId: authorization.id,
    resourceOwner: authorization.organizationId,
    payload: {
      user_id: session.userId,
      application_id: applicationId,
      session_id: session.id,
      scopes: ["openid"],
    },
  };
}
