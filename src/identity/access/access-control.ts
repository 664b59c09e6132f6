import type { Message } from "@bufbuild/protobuf";
import type { AccessRule } from "../../../gen/gatehouse/v1/access_pb.ts";
import type { Call, Caller } from "../../kernel/base/call.ts";
import type { Clock } from "../../kernel/base/clock.ts";
import type { Database, ReadTransaction, WriteOptions } from "../../kernel/base/database.ts";
import type { InstanceId } from "../../kernel/base/ids.ts";
import type { AssertionUse } from "../protocol-state/assertion-uses/assertion-use.ts";
import { useProof } from "../protocol-state/dpop/use-proof.ts";
import { toAccessRequest } from "./access-rule.ts";
import { createAccessTokens, type JwtAccess } from "./access-token-credentials.ts";
import {
  type Authenticated,
  authenticate,
  proofInvalid,
  type SentCall,
  withResourceMetadata,
} from "./authentication.ts";
import { type AccessDecision, authorize, authorizeWithin, confirm, ownAccess } from "./authorization.ts";
import { accessTables, createCredentials } from "./credentials.ts";
import { createCurrentAccess, type CurrentAccess } from "./current-access.ts";

/** A call of a known caller that has not been authorized yet. */
export interface AccessInput {
  readonly rule: AccessRule;
  readonly caller: Caller;
  readonly request: Message;
  /** The value of x-service-orgid where the rule reads it; undefined when it is absent or empty. */
  readonly organizationId: string | undefined;
}

/** Identifies callers and decides what they may do. */
export interface AccessControl {
  /** Does work that authenticates or authorizes; see `CurrentAccess`. */
  readonly withCurrentAccess: CurrentAccess;
  /** Looks up the user of the token. Harmless to repeat. Raises TOKEN_MISSING and TOKEN_INVALID. */
  authenticate(call: SentCall): Promise<Authenticated>;
  /** Uses up the proof of a call, in a write of its own. Raises TOKEN_INVALID if it was used before, by whatever process. */
  useProof(use: AssertionUse, options: WriteOptions): Promise<void>;
  /**
   * Decides which objects the call may reach. Raises PERMISSION_DENIED and the other problems of permission. A
   * `problem` in the result says that an object does not exist: it is raised only after the field rules have passed.
   * `confirm` decides again, inside the write that makes the change.
   */
  authorize(input: AccessInput): Promise<AccessDecision & { readonly confirm?: Call["confirm"] }>;
  /**
   * Decides inside a transaction, for one of several calls in it, on the state that the calls before it have left.
   */
  authorizeWithin(
    tx: ReadTransaction,
    input: AccessInput,
  ): Promise<AccessDecision & { readonly caller: Caller }>;
}

/**
 * Creates the access control of an instance. It remembers credentials until a table that decides about access is
 * written.
 */
export function createAccessControl(setup: {
  readonly database: Database;
  readonly clock: Clock;
  readonly instanceId: InstanceId;
  readonly jwts: JwtAccess;
}): AccessControl {
  const watch = setup.database.watch(accessTables);
  const ports = {
    clock: setup.clock,
    findCredentials: createCredentials(setup, watch),
    findAccessToken: createAccessTokens(setup, watch, setup.jwts),
    issuer: setup.jwts.issuer,
  };
  return {
    withCurrentAccess: createCurrentAccess(setup.database, watch),
    async authenticate(call) {
      try {
        return await authenticate(ports, call);
      } catch (error) {
        throw withResourceMetadata(error, ports.issuer());
      }
    },
    async useProof(use, options) {
      const fault = await useProof(setup.database, use, options);
      if (fault !== undefined) throw proofInvalid(fault);
    },
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
