/** Why a request gets a page that says no more than that it failed. */
export type PageRefusalKind =
  /** The request cannot be read. */
  | "bad-request"
  /** The browser does not have the cookie of the login, or its time is over. */
  | "begin-again"
  /** The login has ended well: its last form was sent twice. */
  | "signed-in"
  /** The login has ended without one, as the user or a rule wanted: its last form was sent twice. */
  | "refused"
  /** A form that does not come from our page in this browser. */
  | "foreign-form"
  /** Another page has asked for it, such as for an image: nobody would see a page. */
  | "not-a-visit"
  /** There is nothing at the path. */
  | "not-found"
  /** The application asked for something that it may not ask for, or that makes no sense. */
  | "bad-application-request"
  /** The message of an application about a logout is not valid. */
  | "bad-logout-message"
  /** The browser does not have the cookie of the logout, or its time is over. */
  | "logout-over"
  /** Nobody knows the application. */
  | "unknown-application"
  /** The application asked to send the browser to an address that is not its own. */
  | "unregistered-redirect"
  /** The application is switched off, or what it belongs to is. */
  | "inactive-application"
  /** The application wants what its own settings do not let it have. */
  | "wrong-application-settings"
  /** The code of an invitation is wrong, too late or used, or its user cannot come in by it. */
  | "invitation-over"
  /** The identity provider is switched off, or is not offered for this login. */
  | "provider-off"
  /** The person that came back from an identity provider may not log in here. */
  | "no-account"
  /** Somebody else has linked the identity to the user, and the user has not confirmed the link yet. */
  | "link-in-question"
  /** The identity provider says that nobody has logged in there, such as because the user did not want to. */
  | "provider-denied"
  /** What the browser brings from an identity provider, or what that says itself, is not what was asked for. */
  | "provider-refused"
  /** The identity provider let the user in too long ago for what is asked, or does not say when. */
  | "provider-login-old"
  /** The identity provider does not answer. */
  | "provider-unavailable"
  /** A hook of the organization, or of the instance, has refused the login. */
  | "hook-refused"
  /** Such a hook fails, and without it nobody may log in. */
  | "hook-failed"
  /** The verb of the request does not fit the path. */
  | "wrong-verb"
  | "too-large"
  | "too-many-requests"
  | "unavailable"
  | "fault";
