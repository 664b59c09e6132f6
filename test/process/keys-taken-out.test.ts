import { beforeAll, expect, test } from "@jest/globals";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { createWorld } from "../support/world.ts";
import { type Place, usePlaces } from "./support/place.ts";
import { openSamlNames, putSamlNames } from "./support/saml-names.ts";

const createPlace = usePlaces();
let template: Place;
const names = 3;

beforeAll(async () => {
  const place = createPlace();
  const serving = await place.serve();
  const service = place.connect(serving);
  const { userId } = await createWorld(service);
  await service.call(UserService.method.removeUser, { userId }); // with the code that waited for them
  expect(await serving.stop()).toBe(0);
  await putSamlNames({ data: place.path }, names);
  const rotated = await place.run(["keys", "rotate"]);
  expect(rotated).toMatchObject({ code: 0, stderr: "" });
  expect(rotated.stdout).toMatch(/^old key \w+: no stored value needs it/m);
  template = place;
});

/** Returns a place of which a line is taken out of the key file, and the id of the key in it. */
function takeOut(line: number): { readonly place: Place; readonly keyId: string } {
  const place = createPlace();
  cpSync(template.path, place.path, { recursive: true });
  const lines = readFileSync(place.file("master.key"), "utf8").trimEnd().split("\n");
  const [taken = ""] = lines.splice(line, 1);
  writeFileSync(place.file("master.key"), `${lines.join("\n")}\n`);
  return { place, keyId: taken.slice(0, taken.indexOf(" ")) };
}

test("an old key that nothing rests on may be taken out of the key file", async () => {
  const { place } = takeOut(1);
  const doctor = await place.run(["doctor"]);
  expect(doctor).toMatchObject({ code: 0, stderr: "" });
  expect(doctor.stdout).toContain("master key: 1 in use, of 1 in the file");
  expect(await place.run(["events", "--limit", "1"])).toMatchObject({ code: 0, stderr: "" });
  expect(await (await place.serve()).stop()).toBe(0);
  const held = await openSamlNames({ data: place.path }, names);
  expect(held.filter(({ value }) => value !== undefined)).toHaveLength(names);
});

test("a key that something rests on may not", async () => {
  const { place, keyId } = takeOut(0);
  const started = await place.run(["serve", "--listen", "127.0.0.1:0"]);
  expect(started.code).toBe(1);
  expect(started.stderr).toContain(`the key ${keyId} that the database was used with is missing`);
  const doctor = await place.run(["doctor"]);
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).toContain(`the key ${keyId} is missing`);
});
