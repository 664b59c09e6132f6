import { foldName } from "../../kernel/base/names/folding.ts";
import type { Permission, PermissionScopes } from "../../kernel/base/permission.ts";

/** The kinds of objects that are found, in the order of the answer, each with the permission to find them. */
export const hitPermissions = {
  ORGANIZATION: "organization.read",
  PROJECT: "project.read",
  APPLICATION: "project.app.read",
  USER: "user.read",
  GROUP: "group.read",
} as const satisfies Readonly<Record<string, Permission>>;

/** What an object is. */
export type HitKind = keyof typeof hitPermissions;

/** An object that was found. */
export interface FoundObject {
  readonly kind: HitKind;
  readonly id: string;
  /** Empty if a person has none. */
  readonly name: string;
  /** Empty if it is no user. */
  readonly username: string;
  readonly organizationId: string;
  readonly organizationName: string;
  /** The project, or that of the application; otherwise empty. */
  readonly projectId: string;
}

/** Says whether an object lies in one of these scopes. */
export function isWithin(
  { isInstance, organizations, projects }: PermissionScopes,
  { organizationId, projectId }: Pick<FoundObject, "organizationId" | "projectId">,
): boolean {
  return (
    isInstance ||
    organizations.some((id) => id === organizationId) ||
    (projectId !== "" && projects.some((id) => id === projectId))
  );
}

/** Puts hits in order: those whose names begin with the text come first, both parts by name. */
export function sortHits(hits: readonly FoundObject[], text: string): readonly FoundObject[] {
  const wanted = foldName(text.trim());
  const keyed = hits.map((hit) => {
    const name = foldName(hit.name);
    return { hit, key: [name.startsWith(wanted) ? "0" : "1", name, hit.id].join("\n") };
  });
  return keyed.toSorted((one, other) => (one.key < other.key ? -1 : 1)).map(({ hit }) => hit);
}
