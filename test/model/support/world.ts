/**
 * What the service should hold: plain objects, in the order of their creation. Nothing here is taken from `src`, so that a
 * rule that is changed there is seen.
 */
import type { TestClock } from "../../support/clock.ts";

/** What every object has. Instants are microseconds since 1970. */
export interface Entity {
  readonly id: string;
  /** How a report calls it, such as `project 2`. */
  readonly label: string;
  readonly resourceOwner: string;
  readonly created: number;
  sequence: number;
}

export type State = "ACTIVE" | "INACTIVE";

export interface Organization extends Entity {
  state: State;
  name: string;
}

/** The fields of its kind as they are in JSON. */
export interface User extends Entity {
  readonly kind: "human" | "service";
  state: State | "LOCKED";
  username: string;
  profile: Readonly<Record<string, string>>;
}

export interface Token extends Entity {
  readonly userId: string;
  /** What its holder sends. */
  readonly text: string;
  readonly expirationMs: number | undefined;
  readonly creatorId: string;
  readonly madeWithId: string | undefined;
  /** The roles that it does not carry, by the id of their membership. */
  readonly leftOut: Map<string, ReadonlySet<string>>;
}

export type Scope =
  | { readonly kind: "instance" }
  | { readonly kind: "organization" | "project" | "projectGrant"; readonly id: string };

export interface Membership extends Entity {
  readonly userId: string;
  readonly scope: Scope;
  roles: readonly string[];
}

export interface Provider extends Entity {
  readonly kind: "jwt" | "oidc" | "saml" | "github";
  state: State;
  name: string;
  /** All other fields as they are in JSON, but for the client secret. */
  settings: Readonly<Record<string, unknown>>;
  config: Readonly<Record<string, unknown>>;
  secret: string;
}

export interface Project extends Entity {
  state: State;
  name: string;
  settings: Readonly<Record<string, unknown>>;
  readonly roles: Map<string, Role>;
}

export interface Role {
  readonly key: string;
  readonly created: number;
  readonly resourceOwner: string;
  sequence: number;
  displayName: string;
  group: string;
}

export interface ProjectGrant extends Entity {
  readonly projectId: string;
  readonly grantedId: string;
  state: State;
  roleKeys: readonly string[];
}

export interface UserGrant extends Entity {
  readonly userId: string;
  readonly projectId: string;
  /** Empty when the organization owns the project. */
  readonly projectGrantId: string;
  state: State;
  roleKeys: readonly string[];
}

export interface Application extends Entity {
  readonly projectId: string;
  state: State;
  name: string;
  entityId: string;
  settings: SamlSettings;
}

/** What calls set besides the metadata of a SAML application, as they send it. */
export type SamlSettings = Readonly<{
  requireSignedRequests: boolean;
  encryption: string;
  nameIdFormat: string;
  allowIdpInitiated: boolean;
  defaultRelayState: string;
  logoutDisabled: boolean;
  attributes: { name: string; nameFormat: string; source: string; constant: string }[];
  onlyRequestedAttributes: boolean;
}>;

/** The objects of one kind, oldest first, and those that were removed. */
export interface Shelf<T extends Entity> {
  all(): readonly T[];
  find(id: string): T | undefined;
  where(condition: (entity: T) => boolean): readonly T[];
  add(entity: T): void;
  /** Removes all that fulfil the condition. */
  remove(condition: (entity: T) => boolean): void;
  gone(): readonly T[];
  /** Returns both. */
  everything(): readonly T[];
}

export interface World {
  readonly instanceId: string;
  readonly clock: TestClock;
  readonly organizations: Shelf<Organization>;
  readonly users: Shelf<User>;
  readonly tokens: Shelf<Token>;
  readonly memberships: Shelf<Membership>;
  readonly providers: Shelf<Provider>;
  readonly projects: Shelf<Project>;
  readonly projectGrants: Shelf<ProjectGrant>;
  readonly userGrants: Shelf<UserGrant>;
  readonly applications: Shelf<Application>;
  /** The last one that was given: that of the newest event. */
  sequence: number;
  /** Objects of the service itself, which no sequence of calls may change. */
  readonly base: Set<string>;
  /** Returns the label of the next object of that kind. */
  label(kind: string): string;
}

export function createWorld(instanceId: string, clock: TestClock): World {
  const counts = new Map<string, number>();
  return {
    instanceId,
    clock,
    organizations: createShelf(),
    users: createShelf(),
    tokens: createShelf(),
    memberships: createShelf(),
    providers: createShelf(),
    projects: createShelf(),
    projectGrants: createShelf(),
    userGrants: createShelf(),
    applications: createShelf(),
    sequence: 0,
    base: new Set(),
    label(kind) {
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      return `${kind}${count}`;
    },
  };
}

/** Returns the label of every object that is or was there, by its id. */
export function labelsOf(world: World): ReadonlyMap<string, string> {
  const shelves: readonly Shelf<Entity>[] = [
    world.organizations,
    world.users,
    world.tokens,
    world.memberships,
    world.providers,
    world.projects,
    world.projectGrants,
    world.userGrants,
    world.applications,
  ];
  const labels = new Map<string, string>();
  for (const shelf of shelves) for (const { id, label } of shelf.everything()) labels.set(id, label);
  return labels;
}

/** Says whether two names count as the same where they must be unique. */
export function isSameName(left: string, right: string): boolean {
  const fold = (name: string) => name.trim().normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
  return fold(left) === fold(right);
}

function createShelf<T extends Entity>(): Shelf<T> {
  const entities = new Map<string, T>();
  const gone: T[] = [];
  return {
    all: () => [...entities.values()],
    find: (id) => entities.get(id),
    where: (condition) => [...entities.values()].filter(condition),
    add: (entity) => void entities.set(entity.id, entity),
    remove(condition) {
      for (const entity of entities.values()) {
        if (!condition(entity)) continue;
        entities.delete(entity.id);
        gone.push(entity);
      }
    },
    gone: () => gone,
    everything: () => [...gone, ...entities.values()],
  };
}
