import type { JsonObject } from "@bufbuild/protobuf";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { openBrowser } from "../../sites/federation/support/place.ts";
import { makeApp } from "../../support/totp.ts";
import { type Actor, type Scope, toJson, wholeOf } from "./actors.ts";
import { openLogin } from "./doors.ts";
import type { Scene } from "./scene.ts";
import { useSession } from "./harvest.ts";
import type { Thing, World } from "./world.ts";

/** What happens besides the calls of the actor. */
export interface Happening {
  readonly name: string;
  /** Returns the ids of the memberships that others have given. */
  run(scene: Scene): Promise<readonly string[]>;
}

/** Somebody who may gives a role to a user, who is not the actor. */
export function listGifts(world: World, actor: Actor, things: readonly Thing[]): readonly Happening[] {
  const { organizations, projects } = world;
  const { a, b } = organizations;
  const roles: readonly (readonly [string, Scope])[] = [
    ["ORGANIZATION_OWNER", wholeOf(a)],
    ["ORGANIZATION_OWNER", wholeOf(b)],
    ["PROJECT_OWNER", { kind: "project", id: projects.p, organizationId: a }],
    ["PROJECT_OWNER", { kind: "project", id: projects.q, organizationId: b }],
    ["INSTANCE_VIEWER", { kind: "instance", id: "", organizationId: "" }],
  ];
  const users = things.filter(
    ({ kind, ids }) => (kind === "human" || kind === "service") && ids["userId"] !== actor.userId,
  );
  return users.flatMap(({ name, ids }) =>
    roles.map(([role, scope]) => ({
      name: `somebody who may makes ${name} ${role} of ${scope.kind} ${scope.id}`,
      run: async ({ world: { ground } }) => {
        const body: JsonObject = { userId: ids["userId"] ?? "", ...toJson(scope), roles: [role] };
        const token = ground.service.adminToken;
        const answer = await ground.call(MembershipService.method.addMembership, body, { token });
        return answer.isDone ? [answer.json["membershipId"] as string] : []; // by the contract
      },
    })),
  );
}

/** What somebody who runs a provider does there, as a user who came by it. */
export function listVisits(world: World): readonly Happening[] {
  const uma = world.victims.find(({ name }) => name === "uma")?.userId ?? "";
  const visit = (what: string, keep: (scene: Scene, tokens: Kept) => Promise<void>): Happening => ({
    name: `logs in as uma by the provider, and keeps ${what}`,
    run: async (scene) => {
      const tokens = await comeAsUma(scene);
      if (tokens !== undefined) await keep(scene, tokens);
      return [];
    },
  });
  const call = async (
    { world: { ground } }: Scene,
    method: Parameters<typeof ground.call>[0],
    token: string,
    body = {},
  ) => {
    const answer = await ground.call(method, { userId: uma, ...body }, { token });
    return answer.isDone ? answer.json : {};
  };
  return [
    visit(
      "the session",
      async ({ purse }, { cookie }) => void purse.sessions.set(cookie, "the session of uma"),
    ),
    visit(
      "the access token",
      async ({ purse }, { token }) => void purse.tokens.set(token, "the access token of uma"),
    ),
    visit("the refresh token", async ({ purse, world: { apps } }, { refresh }) => {
      purse.refreshes.set(refresh, apps.desk.clientId);
    }),
    visit("a personal access token", async (scene, { token }) => {
      const { token: made } = await call(scene, UserService.method.addPersonalAccessToken, token);
      if (typeof made === "string") scene.purse.tokens.set(made, "the personal access token of uma");
    }),
    visit("an authenticator app", async (scene, { token }) => {
      const { secret } = await call(scene, UserService.method.registerTotp, token);
      if (typeof secret !== "string") return;
      const app = makeApp(secret);
      const { service } = scene.world.ground;
      service.clock.turn(30_000); // each step of time counts once
      await call(scene, UserService.method.verifyTotp, token, { code: app.code(service.clock.nowMs()) });
      service.clock.turn(30_000);
      scene.purse.apps.set(uma, (atMs) => app.code(atMs));
    }),
  ];
}

/** Lists all pairs of what is kept of a visit, and a role that the user gains then. */
export function listVisitsAndGifts(world: World, actor: Actor): readonly (readonly Happening[])[] {
  const uma = world.things.filter(({ name }) => name === "uma");
  return listVisits(world).flatMap((visit) => listGifts(world, actor, uma).map((gift) => [visit, gift]));
}

interface Kept {
  readonly cookie: string;
  readonly token: string;
  readonly refresh: string;
}

async function comeAsUma(scene: Scene): Promise<Kept | undefined> {
  const { world } = scene;
  const { ground, provider, apps, things } = world;
  const idpId = things.find(({ name }) => name === "provider of a")?.ids["idpId"] ?? "";
  const browser = openBrowser(ground.service);
  const page = await openLogin(world, browser, apps.desk);
  const { url } = await browser.submit(page, { provider: idpId });
  if (url.origin !== provider.issuer) return undefined;
  await browser.open(provider.logIn(url).href);
  const value = browser.cookies.get("gh_session");
  if (value === undefined) return undefined;
  const cookie = `gh_session=${value}`;
  const { token, refresh } = await useSession(scene, cookie, "");
  return { cookie, token, refresh };
}
