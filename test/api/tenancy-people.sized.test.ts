import { OrganizationSource } from "../../gen/gatehouse/v1/access_pb.ts";
import { sized } from "../support/size.ts";
import { listMatrixRpcs } from "./support/tenancy-rpcs.ts";
import { tenancySample, testTenancy, wholeTenancy } from "./support/tenancy-suite.ts";
import { projectServices } from "./support/tenancy-services.ts";

// Organizations, memberships, users, identity providers, and whatever service comes later.

// A batch is no cell of its own: every rpc that can be an item of one is judged through it, too.

const rpcs = await listMatrixRpcs();
testTenancy(
  rpcs.filter(
    ({ method, rule }) =>
      !projectServices.includes(method.parent.name) && rule.organization !== OrganizationSource.ITEMS,
  ),
  sized({ small: tenancySample, full: wholeTenancy }),
);
