/** What an operation is: a call, and what the model says about it before it is made. */
import type { DescMethodUnary, JsonObject } from "@bufbuild/protobuf";
import type { Draw } from "./draw.ts";
import {
  type Access,
  type Caller,
  holdsOn,
  holdsSomewhere,
  heldBy,
  lacks,
  lacksToStop,
  leftOutOf,
  organizationOf,
  Refusal,
  requireAccess,
} from "./permissions.ts";
import type { Entity, Scope, User, World } from "./world.ts";

/** A call that is to be made. */
export interface Plan {
  readonly method: DescMethodUnary;
  readonly request: JsonObject;
  /** The header x-service-orgid. */
  readonly header?: string | undefined;
  /** Says what the answer must be, and changes nothing. Raises a Refusal. */
  judge(caller: Caller): Effect;
}

export type Effect =
  | { readonly kind: "read"; readonly answer: JsonObject }
  /** All objects of the list, in its order. */
  | { readonly kind: "list"; readonly field: string; readonly items: readonly JsonObject[] }
  | {
      readonly kind: "created";
      /** Undefined: the new object itself. */
      readonly owner: string | undefined;
      /** The field of the answer that holds its id; undefined when it has none. */
      readonly idField?: string;
      /** What else the answer holds. */
      readonly rest?: JsonObject;
      /** Fields of the answer that are not compared, because they are random. */
      readonly random?: readonly string[];
      note(made: Made): void;
    }
  | {
      readonly kind: "changed";
      readonly entity: Pick<Entity, "sequence" | "created" | "resourceOwner">;
      /** True: nothing is to happen. */
      readonly isSame?: boolean;
      note(date: number): void;
    };

export interface Made {
  readonly id: string;
  readonly date: number;
  readonly answer: JsonObject;
}

/** Draws a call of one rpc. */
export type Operation = (world: World, draw: Draw) => Plan;

export type Operations = Readonly<Record<string, Operation>>;

export function refuseIf(condition: boolean, reason: string): void {
  if (condition) throw new Refusal(reason);
}

/** Returns the object if it is there. Raises NOT_FOUND. */
export function present<T>(found: T | undefined): T {
  if (found === undefined) throw new Refusal("NOT_FOUND");
  return found;
}

/** The organization of the header, else the caller's. Decision 13: permission, rules of the fields, existence. */
export function onHeader(
  world: World,
  caller: Caller,
  asked: { readonly header: string | undefined; readonly permission: string; readonly isValid?: boolean },
): Access {
  const access = requireAccess(caller, asked.permission, asked.header ?? caller.organizationId);
  refuseIf(asked.isValid === false, "FIELD_INVALID");
  present(world.organizations.find(access.organizationId));
  return access;
}

/** The organization of a user, who may be the caller themselves. */
export function onUser(
  world: World,
  caller: Caller,
  asked: {
    readonly userId: string;
    readonly permission: string;
    readonly isSelfAllowed?: boolean;
    /** Whether a token that is limited is enough for that. */
    readonly isLimitedAllowed?: boolean;
    /** What it does to the user. */
    readonly touch?: "acts" | "stops";
    readonly isValid?: boolean;
  },
): User {
  const user = world.users.find(asked.userId);
  const isSelf = asked.isSelfAllowed === true && asked.userId === caller.userId;
  const isLimited = leftOutOf(world, caller.token).length > 0;
  if (isSelf && isLimited && asked.isLimitedAllowed !== true) {
    try {
      return onUser(world, caller, { ...asked, isSelfAllowed: false });
    } catch (error) {
      const isAllowed = !(error instanceof Refusal) || error.reason === "FIELD_INVALID";
      throw isAllowed ? error : new Refusal("TOKEN_LIMITED");
    }
  }
  if (!isSelf) {
    refuseIf(!holdsSomewhere(caller.held, asked.permission), "PERMISSION_DENIED");
    const isInReach =
      user !== undefined &&
      holdsOn(
        caller.held,
        asked.permission,
        { kind: "organization", id: user.resourceOwner },
        user.resourceOwner,
      );
    if (!isInReach) {
      refuseIf(asked.isValid === false, "FIELD_INVALID");
      throw new Refusal("NOT_FOUND");
    }
    const isTooMuch =
      (asked.touch === "acts" && lacks(caller.held, heldBy(world, user.id))) ||
      (asked.touch === "stops" && lacksToStop(world, caller, user));
    refuseIf(isTooMuch, "PERMISSION_DENIED");
  }
  refuseIf(asked.isValid === false, "FIELD_INVALID");
  return present(user);
}

/** The scope of a membership. */
export function onScope(
  world: World,
  caller: Caller,
  asked: { readonly scope: Scope; readonly permission: string; readonly isValid?: boolean },
): void {
  const { scope, permission } = asked;
  const organizationId = organizationOf(world, scope);
  const isHeld = organizationId !== undefined && holdsOn(caller.held, permission, scope, organizationId);
  if (scope.kind === "instance" || scope.kind === "organization") refuseIf(!isHeld, "PERMISSION_DENIED");
  refuseIf(!holdsSomewhere(caller.held, permission), "PERMISSION_DENIED");
  refuseIf(asked.isValid === false, "FIELD_INVALID");
  refuseIf(!isHeld, "NOT_FOUND");
  if (scope.kind === "organization") present(world.organizations.find(scope.id));
}

/** A user whom the caller may give something in the organization. Raises NOT_FOUND. */
export function userInReach(
  world: World,
  caller: Caller,
  asked: { readonly userId: string; readonly organizationId: string | undefined },
): User {
  const user = present(world.users.find(asked.userId));
  const home = user.resourceOwner;
  const isInReach =
    home === asked.organizationId ||
    holdsOn(caller.held, "user.read", { kind: "organization", id: home }, home);
  refuseIf(!isInReach, "NOT_FOUND");
  return user;
}

/** The change of a state that has two: the same again changes nothing. */
export function toState<T extends Entity & { state: string }>(entity: T, state: T["state"]): Effect {
  return {
    kind: "changed",
    entity,
    isSame: entity.state === state,
    note: (date) => {
      entity.state = state;
      entity.sequence = date;
    },
  };
}
