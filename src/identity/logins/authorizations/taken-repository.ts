import type { Taken, TakenAlong } from "../../../kernel/events/event.ts";
import {
  applicationsOfOrganization,
  applicationsOfProject,
  usersOfOrganization,
} from "../../../kernel/events/taken-along.ts";
import { byProviderAlone } from "../sessions/session-link-repository.ts";

/** Those of which a refresh token is listed: the others are no objects for callers. */
const isListed = "a.has_refresh = 1 AND a.is_ended = 0 AND a.expiration_ms + 0 > :now";

/** The same, where they are found by their user: no index that is by the application fits. */
const isListedOfUser = "a.has_refresh + 0 = 1 AND a.is_ended + 0 = 0 AND a.expiration_ms + 0 > :now";

const ofUser = `SELECT 1 FROM authorizations a WHERE a.user_id = :id AND ${isListedOfUser}`;

/** What the removal of a way to log in ends depends on the user who set it up. */
const ends: readonly Taken[] = [{ type: "authorization", rows: [ofUser], isPart: true }];

/** The refresh tokens that go with other objects. */
export const takenAuthorizations: TakenAlong = {
  "user.removed": [{ type: "authorization", rows: [ofUser] }],
  "user.password.removed": ends,
  "user.passkey.removed": ends,
  "user.idp_link.removed": ends,
  "application.removed": [
    {
      type: "authorization",
      rows: [
        `SELECT 1 FROM authorizations a JOIN users u ON u.id = a.user_id
         WHERE a.application_id = :id AND ${isListed}`,
      ],
    },
  ],
  "project.removed": [
    {
      type: "authorization",
      ofEach: [
        {
          parents: applicationsOfProject,
          rows: `SELECT 1 FROM authorizations a JOIN users u ON u.id = a.user_id
           WHERE a.application_id IN :ids AND ${isListed}`,
        },
      ],
    },
  ],
  "identity_provider.removed": [
    {
      type: "authorization",
      ofEach: [
        {
          parents: {
            ids: "SELECT user_id AS id FROM idp_links WHERE idp_id = :id ORDER BY external_user_id",
          },
          rows: `SELECT 1 FROM authorizations a
           WHERE a.user_id IN :ids AND ${isListedOfUser} AND ${byProviderAlone("a.methods")}
             AND (SELECT MIN(s.session_id) FROM session_links s
               WHERE s.session_id = a.session_id AND s.idp_id = :id) IS NOT NULL`,
        },
      ],
    },
  ],
  "organization.removed": [
    {
      type: "authorization",
      ofEach: [
        {
          parents: usersOfOrganization,
          rows: `SELECT 1 FROM authorizations a WHERE a.user_id IN :ids AND ${isListedOfUser}`,
        },
        {
          parents: applicationsOfOrganization,
          rows: `SELECT 1 FROM authorizations a JOIN users u ON u.id = a.user_id AND u.resource_owner <> :id
           WHERE a.application_id IN :ids AND ${isListed}`,
        },
      ],
    },
  ],
};
