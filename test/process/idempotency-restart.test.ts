import { expect, test } from "@jest/globals";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { answerIn, endingOf } from "../api/support/condition-outcomes.ts";
import { newKey } from "../api/support/condition-suite.ts";
import { everyLane, openLanes } from "../api/support/lanes.ts";
import { toRequest } from "../support/clients.ts";
import { idOf, uniqueName } from "../support/world.ts";
import { usePlaces } from "./support/place.ts";

const createPlace = usePlaces();

test("a stored answer is there after a restart and a rebuild", async () => {
  const place = createPlace();
  const first = await place.serve(["--dev"]);
  const known = place.connect(first);
  const added = await known.call(OrganizationService.method.addOrganization, { name: uniqueName("Gone") });
  const user = await known.call(UserService.method.addServiceUser, {
    username: uniqueName("u"),
    name: "U",
  });
  const calls = [
    [OrganizationService.method.removeOrganization, { id: idOf(added, "organizationId") }],
    [UserService.method.addPersonalAccessToken, { userId: idOf(user, "userId") }],
  ] as const;
  const key = newKey();
  const options = { token: place.adminToken(), headers: { "idempotency-key": key } };
  const run = async (serving: typeof first) => {
    const connected = place.connect(serving);
    const callOn = openLanes(connected);
    const outcomes = [];
    for (const [method, request] of calls) {
      for (const lane of everyLane)
        outcomes.push(await callOn[lane](method, toRequest(method, request), options));
    }
    return outcomes.map((outcome) => [endingOf(outcome), answerIn(outcome)["details"]]);
  };
  const before = await run(first);
  expect(await first.stop()).toBe(0);
  expect((await place.run(["rebuild"])).code).toBe(0);
  const second = await place.serve(["--dev"]);
  expect(await run(second)).toEqual(before.map(([, details]) => ["replayed true", details]));
  expect(await second.stop()).toBe(0);
});
