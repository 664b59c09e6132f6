// SIGKILL while a SAML login is answered: the interaction is used up and the session knows the application, or neither is so.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SessionService } from "../../gen/gatehouse/v1/session_service_pb.ts";
import type { Random } from "../hostile/support/random.ts";
import {
  createLoginPlace,
  createPerson,
  type LoginPlace,
  type TestPerson,
} from "../oidc/support/login-place.ts";
import { endLogin, openUserAgent } from "../oidc/support/user-agent.ts";
import { type ConnectedService, type Place, usePlaces } from "../process/support/place.ts";
import { addNodeSamlParty, type NodeSamlParty, noteAnswer } from "../saml/node-saml/node-saml.ts";
import { makeSamlPlace, type SamlPlace } from "../saml/node-saml/saml-place.ts";
import { createHttpClient, type HttpAnswer, type HttpClient } from "../support/http-client.ts";
import type { ServingProcess } from "../support/process.ts";
import { createCaller } from "../support/world.ts";
import { kill } from "./support/ground.ts";
import { useSeed } from "./support/seed.ts";

const newPlace = usePlaces();
const randomOf = useSeed();
/** GATEHOUSE_FAULTS_KILLS asks for more. */
const rounds = Number(process.env["GATEHOUSE_FAULTS_KILLS"] ?? 20);
const issuer = "http://localhost:4711";
const identifierFormat = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";

let place: Place;
let random: Random;
let serving: ServingProcess;
let http: HttpClient;
let service: ConnectedService;
let ground: LoginPlace;
let person: TestPerson;
/** The session of a browser in which the person has logged in. */
let session: readonly [name: string, value: string];
/** How often the answer had come, and how often it had not. */
let answered = 0;
let cutOff = 0;

async function start(): Promise<void> {
  serving = await place.serve(["--issuer", issuer]);
  http = createHttpClient(serving.url);
  service = place.connect(serving);
}

/** Ends the process, if it is not gone yet, and starts another one on what it has left. */
async function startAgain(): Promise<void> {
  http.close();
  await kill(serving);
  await start();
}

const samlPlace = (): SamlPlace => makeSamlPlace({ ...ground, service, http, issuer, person });
const addParty = (): Promise<NodeSamlParty> => addNodeSamlParty(samlPlace(), { saml: { identifierFormat } });

beforeAll(async () => {
  place = newPlace();
  random = randomOf(0);
  await start();
  ground = await createLoginPlace(service);
  person = await createPerson(service, ground.organizationId);
  const agent = openUserAgent({ origin: issuer, send: (request) => http.send(request) });
  const first = await addParty();
  await first.take(await endLogin(agent, await first.ask(agent), person));
  const found = [...agent.cookies].find(([name]) => name.endsWith("gh_session"));
  if (found === undefined) throw new Error("the browser has no session");
  session = found;
}, 60_000);
afterAll(async () => {
  http.close();
  await kill(serving);
});

const headers = { accept: "text/html", host: new URL(issuer).host };

/** Begins a login by HTTP-POST, and returns what the browser does next: it gets the answer. */
async function reachAnswer(party: NodeSamlParty): Promise<() => Promise<HttpAnswer>> {
  const message = await party.saml.getAuthorizeMessageAsync("here", undefined, {});
  const body = new URLSearchParams({ SAMLRequest: String(message["SAMLRequest"]) }).toString();
  const type = { "content-type": "application/x-www-form-urlencoded" };
  const path = "/saml/v2/SSO";
  const begun = await http.send({ method: "POST", path, headers: { ...headers, ...type }, body });
  expect([begun.status, begun.text]).toEqual([303, ""]);
  const next = new URL(begun.headers.get("location") ?? "", issuer).pathname;
  expect(next).toMatch(/^\/saml\/v2\/continue\//);
  const cookies = [session.join("="), ...begun.headers.getSetCookie().map((line) => line.split(";")[0])];
  return () => http.send({ method: "GET", path: next, headers: { ...headers, cookie: cookies.join("; ") } });
}

async function takesPart({ appId }: NodeSamlParty): Promise<boolean> {
  const call = createCaller(service, ground.organizationId);
  const { sessions } = await call(SessionService.method.listSessions, { pageSize: 1000 });
  return JSON.stringify(sessions).includes(`"applicationId":"${appId}"`);
}

const isAnswer = ({ status, text }: HttpAnswer) => {
  const [, response = ""] = /name="SAMLResponse" value="([^"]+)"/.exec(text) ?? [];
  noteAnswer(response);
  return status === 200 && response !== "";
};

/** When the process is killed, by turns: as soon as the request is on its way, some time later, once the answer has come. */
const moments = ["at once", "on the way", "after the answer"] as const;

describe("SIGKILL while a SAML login is answered", () => {
  test.each(Array.from({ length: rounds }, (_, index) => [index + 1, moments[index % 3]] as const))(
    "round %d, %s: what is stored is of the answer, or the browser gets it now",
    async (_round, moment) => {
      const party = await addParty();
      const goOn = await reachAnswer(party);
      const { child } = serving;
      if (moment !== "after the answer")
        setTimeout(() => child.kill("SIGKILL"), moment === "at once" ? 0 : random.next() * 12);
      const answer = await goOn().catch(() => undefined);
      await startAgain();
      if (answer === undefined) cutOff += 1;
      else answered += 1;
      const isThere = await takesPart(party);
      expect([answer === undefined || isAnswer(answer), isThere || answer === undefined]).toEqual([
        true,
        true,
      ]);
      const again = await goOn();
      expect([isAnswer(again), again.status]).toEqual(isThere ? [false, 400] : [true, 200]);
      expect(await takesPart(party)).toBe(true);
    },
  );

  test("some answers were lost, and others were not", () => {
    expect([answered > 0, cutOff > 0]).toEqual([true, true]);
  });
});
