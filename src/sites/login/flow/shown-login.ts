import { readOwnBrand } from "../../../identity/branding/brands.ts";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { PageLabel } from "../brand/brand-markup.ts";
import { chooseLabel, type LoginState } from "../login-state.ts";

/** A login, and how its page looks. */
export interface ShownLogin {
  readonly state: LoginState;
  readonly label: PageLabel;
}

/** Finds out how the page of a login looks. */
export async function toShown(tx: ReadTransaction, state: LoginState): Promise<ShownLogin> {
  const organization = chooseLabel(state);
  return { state, label: { organization, brand: organization && (await readOwnBrand(tx, organization.id)) } };
}
