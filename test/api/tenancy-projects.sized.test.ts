import { sized } from "../support/size.ts";
import { listMatrixRpcs } from "./support/tenancy-rpcs.ts";
import { tenancySample, testTenancy, wholeTenancy } from "./support/tenancy-suite.ts";
import { projectServices } from "./support/tenancy-services.ts";

// Projects, applications and user grants.

const rpcs = await listMatrixRpcs();
testTenancy(
  rpcs.filter(({ method }) => projectServices.includes(method.parent.name)),
  sized({ small: tenancySample, full: wholeTenancy }),
);
