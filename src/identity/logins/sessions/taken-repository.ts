import type { TakenAlong } from "../../../kernel/events/event.ts";

/** The sessions that go with a user or an organization, ended ones too. Those that only end stay. */
export const takenSessions: TakenAlong = {
  "user.removed": [{ type: "session", rows: ["SELECT 1 FROM sessions WHERE user_id = :id"] }],
  "organization.removed": [{ type: "session", rows: ["SELECT 1 FROM sessions WHERE resource_owner = :id"] }],
};
