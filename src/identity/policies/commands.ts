import type { Call } from "../../kernel/base/call.ts";
import { changedDetails, createdDetails, type Details } from "../../kernel/base/details.ts";
import type { InstanceId, LoginPolicyId } from "../../kernel/base/ids.ts";
import { type FeatureContext, requireTarget, write } from "../context.ts";
import { remove, type Removal } from "../removal.ts";
import {
  addLoginPolicy,
  changeLoginPolicy,
  defaultSettings,
  type LoginPolicy,
  type LoginPolicyUpdate,
  loginPolicyNotFound,
  removeLoginPolicy,
  toSettings,
} from "./login-policy.ts";
import { createOfferedProviderCommands, type OfferedProviderCommands } from "./offered-provider-commands.ts";
import { findLoginPolicy } from "./repository.ts";

/** The use cases of login policies. All act on the organization of the call, or on the default. */
export interface LoginPolicyCommands {
  get(call: Call, of: PolicyOwner): Promise<PolicyInForce>;
  /** Raises FIELD_INVALID; NOT_FOUND with `if-match` where there is no policy. Harmless to repeat. */
  update(call: Call, of: PolicyOwner, update: LoginPolicyUpdate): Promise<Details>;
  /** Removes the policy of the organization. Raises NOT_FOUND. */
  reset(call: Call): Promise<Removal>;
  readonly providers: OfferedProviderCommands;
}

/** Whose policy a call is about. */
export type PolicyOwner = "organization" | "instance";

/** A policy in force. */
export interface PolicyInForce {
  readonly policy: LoginPolicy;
  /** Undefined where nobody has set a policy. */
  readonly details: Details | undefined;
  readonly isDefault: boolean;
}

/** Creates the commands of login policies. */
export function createLoginPolicyCommands(
  context: FeatureContext,
  instanceId: InstanceId,
): LoginPolicyCommands {
  const ownerOf = (call: Call, of: PolicyOwner): string =>
    of === "instance" ? instanceId : call.access.organizationId;
  return {
    providers: createOfferedProviderCommands(context),
    get: (call, of) =>
      context.database.read(async (tx) => {
        const owner = ownerOf(call, of);
        const own = await findLoginPolicy(tx, owner);
        const found = own ?? (await findLoginPolicy(tx, instanceId));
        return {
          policy: found ?? defaultSettings,
          details: found?.details,
          isDefault: of === "instance" || own === undefined,
        };
      }),
    update: (begun, of, update) => {
      const settings = toSettings(update);
      return write(context, begun, async (command) => {
        const { tx, call, append } = command;
        const owner = ownerOf(call, of);
        await context.waysIn?.keep(
          command,
          of === "instance" ? { of } : { of, organizationId: call.access.organizationId },
        );
        const policy = await findLoginPolicy(tx, owner);
        if (policy === undefined) {
          if (call.requireMatch !== undefined) throw loginPolicyNotFound(owner);
          const id = tx.nextId<LoginPolicyId>();
          const added = addLoginPolicy({ id, resourceOwner: owner, settings });
          return createdDetails(await append([added]), owner);
        }
        const events = changeLoginPolicy(requireTarget(call, policy), settings);
        if (events.length === 0) return policy.details;
        return changedDetails(policy.details, await append(events));
      });
    },
    reset: (begun) =>
      remove(context, begun, {
        async load({ tx, call }) {
          const policy = await findLoginPolicy(tx, call.access.organizationId);
          if (policy === undefined) throw loginPolicyNotFound(call.access.organizationId);
          return policy;
        },
        decide: (policy) => [removeLoginPolicy(policy)],
      }),
  };
}
