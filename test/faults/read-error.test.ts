import { beforeAll, expect, test } from "@jest/globals";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { Health } from "../../gen/grpc/health/v1/health_pb.ts";
import { usePlaces, useServedPlaces } from "../process/support/place.ts";
import { uniqueName } from "../support/world.ts";
import { failReads, requireStrace } from "./support/strace.ts";

const createServedPlace = useServedPlaces(usePlaces());

beforeAll(requireStrace);

test("while every read of the files fails, /readyz and the health service say so; afterwards nothing is lost", async () => {
  const place = await createServedPlace();
  const serving = await place.serve();
  const { url, clients, call } = place.connect(serving);
  const readiness = async () => {
    const { status } = await fetch(`${url}/readyz`);
    const health = await clients.grpc.call(Health.method.check, {}, {});
    return [status, health.kind === "answer" ? health.json["status"] : health];
  };
  expect(await readiness()).toEqual([200, "SERVING"]);
  const files = ["gatehouse.db", "gatehouse.db-wal"].map((name) => place.file(name));
  const stop = await failReads(serving.child.pid ?? 0, files);
  expect(await readiness()).toEqual([503, "NOT_SERVING"]);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  await stop();
  expect(await readiness()).toEqual([200, "SERVING"]);
  await call(ProjectService.method.addProject, { name: uniqueName("Project") });
  expect(await serving.stop()).toBe(0);
  expect(await place.run(["doctor"])).toMatchObject({ code: 0 });
});
