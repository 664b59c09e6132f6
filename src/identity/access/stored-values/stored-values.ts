// Stored values that take effect later, for reviewers of permissions. A call is refused or not by its access rule, by the decisions
// of the features, and by nothing in this file: `test/api/stored-values.sized.test.ts` holds the table against all of them. It
// fails for a call that changes something, and for a field of it, that is in neither table.

import { valuesOfApplications } from "./applications.ts";
import { valuesOfLogins } from "./logins.ts";
import { valuesOfHooks } from "./hooks.ts";
import type { StoredValue } from "./stored-value.ts";
import { valuesOfTargets } from "./targets.ts";
import { valuesOfUsers } from "./users.ts";

/** Every stored value that acts later. A field without a row is in `actsOnNobodyElse`. */
export const storedValues: readonly StoredValue[] = [
  ...valuesOfApplications,
  ...valuesOfLogins,
  ...valuesOfTargets,
  ...valuesOfHooks,
  ...valuesOfUsers,
];
