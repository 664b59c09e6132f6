// SIGKILL while a SAML login is answered: the interaction is used up and the session knows the application, or neither is so.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { SessionService } from "../../gen/gatehouse/v1/session_service_pb.ts";
import {
  createLoginPlace,
  createPerson,
  type LoginPlace,
  type TestPerson,
} from "../sites/oidc/support/login-place.ts";
import { endLogin, openUserAgent } from "../sites/oidc/support/user-agent.ts";
import { addNodeSamlParty, type NodeSamlParty, noteAnswer } from "../sites/saml/node-saml/node-saml.ts";
import { makeSamlPlace, type SamlPlace } from "../sites/saml/node-saml/saml-place.ts";
import type { HttpAnswer } from "../support/http-client.ts";
import { createCaller } from "../support/world.ts";
import { rounds, useServing } from "./support/serving.ts";

const issuer = "http://localhost:4711";
const serving = useServing(["--issuer", issuer]);
const identifierFormat = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";

let ground: LoginPlace;
let person: TestPerson;
/** The session of a browser in which the person has logged in. */
let session: readonly [name: string, value: string];
/** How often the answer had come, and how often it had not. */
let answered = 0;
let cutOff = 0;

const samlPlace = (): SamlPlace => {
  const { service, http } = serving;
  return makeSamlPlace({ ...ground, service, http, issuer, person });
};
const addParty = (): Promise<NodeSamlParty> => addNodeSamlParty(samlPlace(), { saml: { identifierFormat } });

beforeAll(async () => {
  ground = await createLoginPlace(serving.service);
  person = await createPerson(serving.service, ground.organizationId);
  const agent = openUserAgent({ origin: issuer, send: (request) => serving.http.send(request) });
  const first = await addParty();
  await first.take(await endLogin(agent, await first.ask(agent), person));
  const found = [...agent.cookies].find(([name]) => name.endsWith("gh_session"));
  if (found === undefined) throw new Error("the browser has no session");
  session = found;
}, 60_000);

const headers = { accept: "text/html", host: new URL(issuer).host };

/** Begins a login by HTTP-POST, and returns what the browser does next: it gets the answer. */
async function reachAnswer(party: NodeSamlParty): Promise<() => Promise<HttpAnswer>> {
  const message = await party.saml.getAuthorizeMessageAsync("here", undefined, {});
  const body = new URLSearchParams({ SAMLRequest: String(message["SAMLRequest"]) }).toString();
  const type = { "content-type": "application/x-www-form-urlencoded" };
  const path = "/saml/v2/SSO";
  const begun = await serving.http.send({ method: "POST", path, headers: { ...headers, ...type }, body });
  expect([begun.status, begun.text]).toEqual([303, ""]);
  const next = new URL(begun.headers.get("location") ?? "", issuer).pathname;
  expect(next).toMatch(/^\/saml\/v2\/continue\//);
  const cookies = [session.join("="), ...begun.headers.getSetCookie().map((line) => line.split(";")[0])];
  return () =>
    serving.http.send({ method: "GET", path: next, headers: { ...headers, cookie: cookies.join("; ") } });
}

async function takesPart({ appId }: NodeSamlParty): Promise<boolean> {
  const call = createCaller(serving.service, ground.organizationId);
  const { sessions } = await call(SessionService.method.listSessions, { pageSize: 1000 });
  return JSON.stringify(sessions).includes(`"applicationId":"${appId}"`);
}

const isAnswer = ({ status, text }: HttpAnswer) => {
  const [, response = ""] = /name="SAMLResponse" value="([^"]+)"/.exec(text) ?? [];
  noteAnswer(response);
  return status === 200 && response !== "";
};

describe("SIGKILL while a SAML login is answered", () => {
  test.each(rounds)(
    "round %d, %s: what is stored is of the answer, or the browser gets it now",
    async (_round, moment) => {
      const party = await addParty();
      const goOn = await reachAnswer(party);
      const answer = await serving.cutOff(moment, goOn);
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
