import { beforeAll, describe, expect, test } from "@jest/globals";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { createServiceUser } from "../support/world.ts";
import { run, type Place, usePlaces } from "./support/place.ts";
import { dump } from "./support/tables.ts";

const createPlace = usePlaces();
const refused = (message: string) => ({ code: 1, stdout: "", stderr: `gatehouse: ${message}\n` });

describe("gatehouse token create", () => {
  let place: Place;
  let firstToken: string;
  let secondOwnerId: string;
  let viewerId: string;

  beforeAll(async () => {
    place = createPlace();
    const serving = await place.serve();
    const service = place.connect(serving);
    firstToken = place.adminToken();
    const { user } = await service.call(UserService.method.getMyUser, {});
    const { resourceOwner } = (user as { details: { resourceOwner: string } }).details;
    const addMember = async (role: string) => {
      const { id } = await createServiceUser(service, resourceOwner);
      const scope = { case: "instance" as const, value: true };
      await service.call(MembershipService.method.addMembership, { userId: id, scope, roles: [role] });
      return id;
    };
    secondOwnerId = await addMember("INSTANCE_OWNER");
    viewerId = await addMember("INSTANCE_VIEWER");
    expect(await serving.stop()).toBe(0);
    rmSync(place.file("admin.token"));
  });

  test("prints a token that works, for the oldest owner or the one that --user names", async () => {
    const made = await place.run(["token", "create"]);
    expect(made).toMatchObject({ code: 0, stderr: "" });
    expect(made.stdout).toMatch(/^gatehouse_pat_\d+_[\w-]{49}\n$/);
    const second = await run(["token", "create", "--user", secondOwnerId], { GATEHOUSE_DATA: place.path });
    expect(second).toMatchObject({ code: 0, stderr: "" });
    expect(existsSync(place.file("admin.token"))).toBe(false);

    const serving = await place.serve();
    const ownerOf = async (token: string) => {
      const answer = await place.connect(serving, token).call(UserService.method.getMyUser, {});
      return (answer["user"] as { id: string; username: string }).username;
    };
    expect(await ownerOf(made.stdout.trim())).toBe("admin");
    expect(await ownerOf(firstToken)).toBe("admin");
    expect(await ownerOf(second.stdout.trim())).not.toBe("admin");
    expect(await serving.stop()).toBe(0);
  });

  test("records an event of the system, without the token in it", async () => {
    const { stdout } = await place.run(["token", "create", "--user", secondOwnerId]);
    const [, , tokenId] = stdout.split("_");
    const { events = [] } = dump(place.file("gatehouse.db"), ["events"]);
    const event = events
      .toSorted((left, right) => Number(left["sequence"]) - Number(right["sequence"]))
      .at(-1);
    expect(event).toMatchObject({
      type: "user.token.added",
      aggregate_id: secondOwnerId,
      editor: "system",
      request_id: "token-create",
      payload: JSON.stringify({ token_id: tokenId }),
    });
  });

  test("is refused while the service runs", async () => {
    const serving = await place.serve();
    expect(await place.run(["token", "create"])).toEqual(
      refused(`another process is using the data folder ${place.path}; stop it first`),
    );
    expect(await serving.stop()).toBe(0);
  });

  test("is refused for a user who is no active owner of the instance, or none at all", async () => {
    const before = dump(place.file("gatehouse.db"));
    for (const id of [viewerId, "1", "admin", ""]) {
      expect(await place.run(["token", "create", "--user", id])).toEqual(
        refused("there is no such active user with the role INSTANCE_OWNER"),
      );
    }
    expect(dump(place.file("gatehouse.db"))).toEqual(before);
  });

  test("is refused on a folder without database, and leaves it as it is", async () => {
    const absent = createPlace();
    expect(await absent.run(["token", "create"])).toEqual(
      refused(`there is no ${absent.file("gatehouse.db")}`),
    );
    expect(existsSync(absent.path)).toBe(false);
    mkdirSync(absent.path);
    expect(await absent.run(["token", "create"])).toEqual(
      refused(`there is no ${absent.file("gatehouse.db")}`),
    );
    expect(readdirSync(absent.path)).toEqual([]);
  });
});
