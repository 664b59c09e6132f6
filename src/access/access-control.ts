import type { Message } from "@bufbuild/protobuf";
import type { AccessRule } from "../../gen/gatehouse/v1/access_pb.ts";
import type { Call, Caller } from "../base/call.ts";
import type { Clock } from "../base/clock.ts";
import type { Database, ReadTransaction } from "../base/database.ts";
import type { InstanceId } from "../base/ids.ts";
import { toAccessRequest } from "./access-rule.ts";
import { authenticate } from "./authentication.ts";
import { type AccessDecision, authorize, authorizeWithin, confirm, ownAccess } from "./authorization.ts";
import { accessTables, createCredentials } from "./credentials.ts";

/** A call whose caller is known, before it is decided whether they may make it. */
export interface AccessInput {
  readonly rule: AccessRule;
  readonly caller: Caller;
  readonly request: Message;
  /** The value of x-service-orgid where the rule reads it; undefined when it is absent or empty. */
  readonly organizationId: string | undefined;
}

/** Finds out who calls and decides what they may do. */
export interface AccessControl {
  /** Looks up who the token stands for. Raises TOKEN_MISSING and TOKEN_INVALID. */
  authenticate(authorization: string | undefined): Promise<Caller>;
  /**
   * Decides what the call may touch. Raises PERMISSION_DENIED and the other problems of permission. A `problem` in the
   * result is one of existence: it is raised only after the field rules passed. `confirm` decides again, inside of the
   * write that makes the change.
   */
  authorize(input: AccessInput): Promise<AccessDecision & { readonly confirm?: Call["confirm"] }>;
  /** Decides inside of a transaction, for one of several calls in it, on everything that the calls before it have changed. */
  authorizeWithin(
    tx: ReadTransaction,
    input: AccessInput,
  ): Promise<AccessDecision & { readonly caller: Caller }>;
}

/** Creates the access control of an instance. It remembers credentials until a table that decides over access is written. */
export function createAccessControl(setup: {
  readonly database: Database;
  readonly clock: Clock;
  readonly instanceId: InstanceId;
}): AccessControl {
  const watch = setup.database.watch(accessTables);
  const ports = { clock: setup.clock, findCredentials: createCredentials(setup.database, watch) };
  return {
    authenticate: (authorization) => authenticate(ports, authorization),
    async authorize(input) {
      const { caller } = input;
      const asked = toAccessRequest(input);
      const decision =
        asked === undefined ? { access: ownAccess(caller) } : await authorize(setup, caller, asked);
      const begun = { caller, request: asked, access: decision.access };
      return { ...decision, confirm: (tx) => confirm({ ...setup, watch }, tx, begun) };
    },
    authorizeWithin: (tx, input) =>
      authorizeWithin({ ...setup, watch }, tx, { caller: input.caller, request: toAccessRequest(input) }),
  };
}
