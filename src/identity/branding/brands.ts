// The brandings that are live, as pages and mails need them: whenever a page is made, without a call.
import type { Database, ReadTransaction } from "../../kernel/base/database.ts";
import { findInstanceId } from "../instance/repository.ts";
import { findOrganization } from "../organizations/repository.ts";
import type { LabelPolicy } from "./label-policy.ts";
import { findLabelPolicy } from "./repository.ts";

/** An organization, and its own branding; undefined: it has none, and wears the one of the instance. */
export interface OrganizationLabel {
  readonly organization: { readonly id: string; readonly name: string };
  readonly brand: LabelPolicy | undefined;
}

/** Remembers the branding of the instance. */
export interface Brands {
  /** Returns it as it was learned last; undefined: there is none. */
  ofInstance(): LabelPolicy | undefined;
  /** Learns what has changed. Undefined: nothing has, as far as this process knows. Not within a write. */
  refresh(): Promise<void> | undefined;
}

/** Every page has the look of the product. */
export const noBrands: Brands = { ofInstance: () => undefined, refresh: () => undefined };

/** Creates the memory, which is empty at first. */
export function createBrands(database: Pick<Database, "watch" | "read">): Brands {
  const watch = database.watch(["label_policies"]);
  let known: { readonly at: number; readonly brand: LabelPolicy | undefined } | undefined;
  return {
    ofInstance: () => known?.brand,
    refresh() {
      const at = watch.committed();
      if (known?.at === at) return undefined;
      return database.read(readInstanceBrand).then((brand) => {
        known = { at, brand };
      });
    },
  };
}

/** Reads the branding of the instance; undefined: there is none. */
export async function readInstanceBrand(tx: ReadTransaction): Promise<LabelPolicy | undefined> {
  const instanceId = await findInstanceId(tx);
  return instanceId === undefined ? undefined : await readOwnBrand(tx, instanceId);
}

/** Reads the live branding of an organization itself; undefined: it has none. */
export async function readOwnBrand(tx: ReadTransaction, owner: string): Promise<LabelPolicy | undefined> {
  return (await findLabelPolicy(tx, owner))?.live;
}

/** Reads what pages and mails for users of an organization wear; undefined: what those of the instance wear. */
export async function readOrganizationLabel(
  tx: ReadTransaction,
  organizationId: string,
): Promise<OrganizationLabel | undefined> {
  const brand = await readOwnBrand(tx, organizationId);
  const organization = brand && (await findOrganization(tx, organizationId));
  return organization && { organization, brand };
}
