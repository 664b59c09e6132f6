import type { NewEvent } from "../../../src/kernel/events/event.ts";

/** The event that makes an application take part in a session. */
export const takePart = (
  id: string,
  session: { readonly id: string; readonly userId: string; readonly owner: string },
  applicationId: string,
): NewEvent => ({
  type: "authorization.granted",
  aggregateId: id,
  resourceOwner: session.owner,
  payload: {
    user_id: session.userId,
    application_id: applicationId,
    session_id: session.id,
    scopes: ["openid"],
  },
});

/** The beginning of a session of a user of the organization. */
export const addSession = (id: string, userId: string, owner: string): NewEvent => ({
  type: "session.added",
  aggregateId: id,
  resourceOwner: owner,
  payload: { user_id: userId, methods: ["PASSWORD"], expiration_date: "2027-01-01T00:00:00.000Z" },
});

/** A login with a link to an identity, within a session. */
export const checkLink = (
  session: Pick<NewEvent, "aggregateId" | "resourceOwner">,
  link: { readonly link_id: string; readonly idp_id: string },
): NewEvent => ({ type: "session.checked", ...session, payload: { method: "IDP", ...link } });
