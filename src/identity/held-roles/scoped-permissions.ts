import { type HeldRoles, type Permission, permissionsOf, type Scope } from "../../kernel/base/permission.ts";
import { scopeIdOf } from "./repository.ts";

/** What the roles on one scope let their holder do there. */
export interface ScopedPermissions {
  readonly scope: Scope;
  /** At least one, each once, in alphabetical order. */
  readonly permissions: readonly Permission[];
}

/**
 * Lists the scopes on which the roles give a permission, each once, with all that they give there. What a wider scope gives is
 * not added to the scopes inside it. The order is: the instance, organizations, projects, project grants; among one kind the
 * numerical order of the ids.
 */
export function listScopedPermissions(held: readonly HeldRoles[]): readonly ScopedPermissions[] {
  const byScope = Map.groupBy(held, ({ scope }) => `${scope.kind} ${scopeIdOf(scope)}`);
  return [...byScope.values()].flatMap(toScopedPermissions).toSorted(compareScopes);
}

function toScopedPermissions(onScope: readonly HeldRoles[]): readonly ScopedPermissions[] {
  const permissions = [...permissionsOf(onScope.flatMap(({ roles }) => roles))].toSorted();
  return onScope
    .slice(0, 1)
    .flatMap(({ scope }) => (permissions.length === 0 ? [] : [{ scope, permissions }]));
}

const scopeKinds: readonly Scope["kind"][] = ["instance", "organization", "project", "project-grant"];

function compareScopes({ scope: left }: ScopedPermissions, { scope: right }: ScopedPermissions): number {
  const [id, otherId] = [scopeIdOf(left), scopeIdOf(right)];
  return (
    scopeKinds.indexOf(left.kind) - scopeKinds.indexOf(right.kind) ||
    // Ids are decimal numbers without leading zeros.
    id.length - otherId.length ||
    (id < otherId ? -1 : 1)
  );
}
