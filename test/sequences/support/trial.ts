import type { JsonObject } from "@bufbuild/protobuf";
import type { Actor } from "./actors.ts";
import { sendToPortals } from "./assertions.ts";
import type { Call } from "./calls.ts";
import { enterByPasswords, enterByProviders, useSessions } from "./doors.ts";
import type { Happening } from "./events.ts";
import { describe, type Finding, isExplained, readLayout } from "./findings.ts";
import { type Given, readGiven } from "./given.ts";
import { sendLinks, useTokens } from "./harvest.ts";
import type { Scene } from "./scene.ts";
import { keepAnswer, madeBy, openPurse } from "./purse.ts";
import { evilMail } from "./values.ts";
import type { Thing, World } from "./world.ts";

/** A call of the actor, or something that others do meanwhile. */
export type Step = Call | Happening;

/** One actor who does one thing after another, in a world as it was made. */
export interface Trial {
  /** The world's, and what the steps have made. */
  readonly things: readonly Thing[];
  readonly steps: readonly Step[];
  /** Takes a step. Returns the reason if it was refused, which has changed nothing. */
  take(step: Step): Promise<string | undefined>;
  /** Looks at everything that the actor can do and know now. */
  look(): Promise<Seen>;
}

/** What an actor can do and know, in words. */
export interface Seen {
  readonly explained: ReadonlySet<string>;
  readonly unexplained: ReadonlySet<string>;
}

/** Begins one. `before`: what was given in the world as it was made. */
export async function beginTrial(world: World, actor: Actor, before: Given): Promise<Trial> {
  const purse = openPurse(actor);
  const gifts = new Set<string>();
  const { place, userId } = actor;
  const self = {
    name: "the actor",
    kind: "service",
    organizationId: world.organizations[place],
    ids: { userId },
  };
  const things: Thing[] = [...world.things, ...(userId === "" ? [] : [self])];
  const steps: Step[] = [];
  const sceneNow = async (): Promise<Scene> => ({ world, actor, purse, layout: await readLayout(world) });
  return {
    things,
    steps,
    async take(step) {
      if ("run" in step) {
        for (const id of await step.run(await sceneNow())) gifts.add(id);
        steps.push(step);
        return undefined;
      }
      const { method, body, organizationId } = step;
      const how = organizationId === "" ? {} : { organizationId };
      const answer = await world.ground.call(method, body, { token: actor.token, ...how });
      if (!answer.isDone) return answer.reason;
      keepAnswer(purse, step, answer.json);
      const made = madeBy(step, answer.json);
      if (made !== undefined) things.push(made);
      steps.push(step);
      return undefined;
    },
    async look() {
      const scene = await sceneNow();
      const found = [...(await givenSince(scene, before, gifts)), ...(await useTokens(scene))];
      found.push(...(await useSessions(scene)));
      if (touches(steps, applications)) found.push(...(await sendLinks(scene)));
      if (touches(steps, portals)) found.push(...(await sendToPortals(scene)));
      if (touchesLogins(actor, steps)) found.push(...(await enterByProviders(scene)));
      if (touchesPasswords(actor, steps)) found.push(...(await enterByPasswords(scene)));
      const byReason = Map.groupBy(found, (finding) => isExplained(finding, scene));
      const textsOf = (isGood: boolean) => new Set((byReason.get(isGood) ?? []).map(describe));
      return { explained: textsOf(true), unexplained: textsOf(false) };
    },
  };
}

async function givenSince(
  { world, layout }: Scene,
  before: Given,
  gifts: ReadonlySet<string>,
): Promise<readonly Finding[]> {
  const now = await readGiven(world, layout);
  return [...now]
    .filter(([key]) => !before.has(key) && !gifts.has(key.split(" ")[0] ?? ""))
    .map(([, finding]) => finding);
}

/** Returns the name of what is done. */
export const nameOf = (step: Step): string => ("run" in step ? step.name : step.method.name);

/** What decides to which applications users are let in without a page, and what these are told. */
const applications = /Application|Oidc|Api|ClientSecret|Project|UserGrant|Organization$/;
const portals = /Application$|Saml|Project|UserGrant|Organization$/;

/** Says whether a step may have changed that. Before any step all is looked at. */
function touches(steps: readonly Step[], names: RegExp): boolean {
  return steps.length === 0 || steps.some((step) => "body" in step && names.test(nameOf(step)));
}

/** Nobody comes by a provider of the actor unless a call was about one. */
function touchesLogins({ runsProvider }: Actor, steps: readonly Step[]): boolean {
  return runsProvider || steps.some((step) => /Idp|IdentityProvider|LoginPolicy/.test(nameOf(step)));
}

function touchesPasswords({ runsProvider }: Actor, steps: readonly Step[]): boolean {
  const isAbout = (step: Step) =>
    /Password/.test(nameOf(step)) || ("body" in step && JSON.stringify(step.body).includes(evilMail));
  return runsProvider || steps.some(isAbout);
}

/** Writes a step so that it can be made again by hand: ids are followed by the name of what they stand for. */
export function writeStep({ things }: Pick<Trial, "things">, step: Step): string {
  const text =
    "run" in step ? step.name : `${step.method.name} ${JSON.stringify(step.body satisfies JsonObject)}`;
  return nameIds(things, "run" in step ? text : `${text} on organization ${step.organizationId}`);
}

/** Puts the names of objects behind their ids. */
export function nameIds(things: readonly Thing[], text: string): string {
  const names = new Map(things.flatMap(({ ids, name }) => ownIdsOf(ids).map((id) => [id, name] as const)));
  return text.replaceAll(/\d{15,19}/g, (id) => (names.has(id) ? `${id} (${names.get(id) ?? ""})` : id));
}

/** The last id is that of the object itself; those before lead to it. */
function ownIdsOf(ids: Readonly<Record<string, string>>): readonly string[] {
  return Object.values(ids).slice(-1);
}
