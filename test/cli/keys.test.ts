import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { join } from "node:path";
import { rotateMasterKey } from "../../src/cli/keys.ts";
import { openInstallation } from "../../src/app/installation.ts";
import { makeInstance } from "../process/support/make-instance.ts";
import { openSamlNames, putSamlNames } from "../process/support/saml-names.ts";
import { makeTemporaryFolder } from "../support/temporary.ts";

// The rotation of the master key without its process; `process/keys.test.ts` has all of it.

let temporary: ReturnType<typeof makeTemporaryFolder>;
let data: string;
beforeEach(async () => {
  temporary = makeTemporaryFolder();
  data = join(temporary.path, "data");
  await makeInstance(data);
});
afterEach(() => temporary.remove());

test("names in SAML sessions leave the old key, which nothing needs any more", async () => {
  await putSamlNames({ data }, 2);
  const [before] = await openSamlNames({ data }, 2);
  const installation = await openInstallation({ dataFolder: data }, { isNewAllowed: false });
  const { keyId, older } = await rotateMasterKey(installation);
  await installation.close();
  expect(older).toEqual([{ keyId: before?.keyId, values: 0 }]);
  expect(await openSamlNames({ data }, 2)).toEqual([
    { keyId, value: "name in 1000" },
    { keyId, value: "name in 1001" },
  ]);
});
