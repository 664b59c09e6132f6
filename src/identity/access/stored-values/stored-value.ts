/**
 * What a caller needs, besides a token, to change a stored value:
 *
 * - `permission`: the permission of the call, on the organization or the project that owns the object. Every other need comes on top.
 * - `instance`: the permission of the call, for the whole instance.
 * - `api-access`: while the application, or one of the project or organization, has api_access: project.app.write for the whole
 *   instance (`identity/api-access`).
 * - `secret-again`: the stored secret that would go to another address, in the same call.
 * - `acting`: every permission that the user holds anywhere (`guards_credentials`), unless the user makes the call.
 * - `stopping`: all permissions of INSTANCE_OWNER, or of ORGANIZATION_OWNER on the organization of the user, if the user holds that
 *   role (`stops_user`; for an organization: one of its users).
 * - `reading`: the permission to read what the value makes others learn: `user.read` or `organization.read` where the metadata are.
 * - `giving`: every permission that the given roles hold, on their scope.
 */
export type Need =
  | "permission"
  | "instance"
  | "api-access"
  | "secret-again"
  | "acting"
  | "stopping"
  | "reading"
  | "giving";

/** Calls that set a value, by name, and their fields, by proto path. Without fields the call itself does it. */
export interface Setters {
  readonly calls: readonly string[];
  readonly fields?: readonly string[];
}

/** A stored value that later lets somebody act as others, reach beyond the organization of the caller, or learn a secret. */
export interface StoredValue {
  readonly value: string;
  readonly setBy: readonly Setters[];
  /** The gain of a caller who may change it. */
  readonly lets: string;
  readonly needs: readonly Need[];
  /** Why no more is needed; absent: the needs speak for themselves. */
  readonly because?: string;
}
