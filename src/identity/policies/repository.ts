import { choice, type Column, defineColumns, flag } from "../../kernel/base/columns.ts";
import type { ReadTransaction } from "../../kernel/base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../kernel/base/details.ts";
import type { LoginPolicyId } from "../../kernel/base/ids.ts";
import { insertSql, updateSql } from "../../kernel/base/sql.ts";
import type { LoginPolicyPayload } from "../../kernel/events/payloads.ts";
import type { Projection } from "../../kernel/events/event.ts";
import { listInstanceRoles } from "../held-roles/repository.ts";
import { offeredProviderAppliers, removeOfferedProviders } from "./offered-provider-repository.ts";
import {
  defaultSettings,
  idpLinkings,
  type LoginPolicy,
  loginNameKinds,
  secondFactorKinds,
  type StoredLoginPolicy,
} from "./login-policy.ts";

const table = "login_policies";

const settings = defineColumns<LoginPolicy, LoginPolicyPayload>({
  allowPassword: flag("allow_password"),
  allowExternalIdps: flag("allow_external_idps"),
  allowPasskeys: flag("allow_passkeys"),
  allowRegistration: flag("allow_registration"),
  forceMfa: flag("force_mfa"),
  forceMfaLocalOnly: flag("force_mfa_local_only"),
  minPasswordLength: count("min_password_length"),
  maxPasswordAttempts: count("max_password_attempts"),
  sessionIdleSeconds: count("session_idle_seconds"),
  sessionLifetimeSeconds: count("session_lifetime_seconds"),
  secondFactors: some("second_factors", secondFactorKinds),
  linkByVerifiedEmail: choice("link_by_verified_email", idpLinkings),
  notifySecurityChanges: flag("notify_security_changes"),
  loginNames: some("login_names", loginNameKinds),
});

const columns = ["id", ...detailsColumns, ...settings.names];
const insertPolicy = insertSql(table, [
  ...settings.names,
  "sequence",
  "id",
  "creation_date",
  "resource_owner",
]);
/** Of an organization, or else of the instance. */
const selectInForce = `SELECT ${columns.join(", ")} FROM ${table} WHERE resource_owner = coalesce(
  (SELECT resource_owner FROM ${table} WHERE resource_owner = ?),
  (SELECT value FROM settings WHERE name = 'instance_id'))`;
const updatePolicy = updateSql(table, [...settings.names, "sequence"]);

/** How events fill the table of login policies. */
export const loginPolicyProjection: Projection = {
  tables: [table, "login_policy_idps"],
  on: {
    ...offeredProviderAppliers,
    "login_policy.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
      await tx.run(insertPolicy, [...settings.toValues(payload), date, aggregateId, date, resourceOwner]);
    },
    "login_policy.changed": async (tx, { aggregateId, date, payload }) => {
      await tx.run(updatePolicy, [...settings.toValues(payload), date, aggregateId]);
    },
    "login_policy.removed": async (tx, { aggregateId }) => {
      await removeOfferedProviders(tx, aggregateId);
      await tx.run("DELETE FROM login_policies WHERE id = ?", [aggregateId]);
    },
  },
  owned: [{ ids: "SELECT id FROM login_policies WHERE resource_owner = ?", removal: "login_policy.removed" }],
  takenAlong: {
    "login_policy.removed": [
      { type: "login_policy.idp", rows: ["SELECT 1 FROM login_policy_idps WHERE policy_id = :id"] },
    ],
    "identity_provider.removed": [
      { type: "login_policy.idp", rows: ["SELECT 1 FROM login_policy_idps WHERE idp_id = :id"] },
    ],
    "organization.removed": [
      { type: "login_policy", rows: ["SELECT 1 FROM login_policies WHERE resource_owner = :id"] },
      {
        type: "login_policy.idp",
        ofEach: [
          {
            parents: { ids: "SELECT id FROM login_policies WHERE resource_owner = :id" },
            rows: "SELECT 1 FROM login_policy_idps WHERE policy_id IN :ids",
          },
        ],
      },
    ],
  },
};

/** Finds the policy of that organization, or of the instance; undefined when it has none of its own. */
export async function findLoginPolicy(
  tx: ReadTransaction,
  resourceOwner: string,
): Promise<StoredLoginPolicy | undefined> {
  const row = await tx.get<PolicyRow>(
    `SELECT ${columns.join(", ")} FROM login_policies WHERE resource_owner = ?`,
    [resourceOwner],
  );
  return row && { ...settings.fromRow(row), id: row.id, details: toDetails(row) };
}

/** Reads the policy that is in force in an organization; without one, the default of the instance. */
export async function readLoginPolicy(
  tx: ReadTransaction,
  organizationId: string | undefined,
): Promise<LoginPolicy> {
  const row = await tx.get<PolicyRow>(selectInForce, [organizationId ?? null]);
  return row === undefined ? defaultSettings : settings.fromRow(row);
}

/**
 * Reads the policy by which a user logs in: that of the instance for a holder of a role there, or the administrators of an
 * organization could shut out the administrators of the service; for all others the one in force in the organization of the user.
 */
export async function readPolicyOfUser(
  tx: ReadTransaction,
  user: { readonly userId: string; readonly organizationId: string },
): Promise<LoginPolicy> {
  const isOnInstance = (await listInstanceRoles(tx, user.userId)).length > 0;
  return await readLoginPolicy(tx, isOnInstance ? undefined : user.organizationId);
}

interface PolicyRow extends DetailsRow {
  readonly id: LoginPolicyId;
}

function count<Name extends string>(name: Name): Column<Name, number> {
  return { name, toStored: (value) => value, fromStored: Number };
}

/** Some of the values, in their order. */
function some<Name extends string, V extends string>(
  name: Name,
  values: readonly V[],
): Column<Name, readonly V[]> {
  return {
    name,
    toStored: (chosen) => JSON.stringify(chosen),
    fromStored(stored) {
      const chosen = JSON.parse(String(stored)) as readonly string[]; // written by the line above
      return values.filter((value) => chosen.includes(value));
    },
  };
}
