import { listMatrixRpcs } from "./support/tenancy-rpcs.ts";
import { testTenancy } from "./support/tenancy-suite.ts";
import { projectServices } from "./support/tenancy-services.ts";

// Organizations, memberships, users, identity providers, and whatever service comes later.

const rpcs = await listMatrixRpcs();
testTenancy(rpcs.filter(({ method }) => !projectServices.includes(method.parent.name)));
