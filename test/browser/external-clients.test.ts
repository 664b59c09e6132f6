// What people see of clients that nobody has created: the page that asks them, and the pages of the console.
import { describe, expect, test } from "@jest/globals";
import { ExternalClientKind } from "../../gen/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { documentRedirect, openDocumentHost } from "../sites/oidc/support/document-host.ts";
import { requestOf } from "../sites/oidc/support/signed-in.ts";
import { createCaller, createProject, idOf } from "../support/world.ts";
import { facesOf, useConsoleStage } from "./support/console-stage.ts";
import { takePicture } from "./support/face-steps.ts";

const stage = useConsoleStage({ dev: true });
const { method } = ApplicationService;
const resource = "urn:example:notes";

/** Makes an API that such clients may use, and a client of each kind. */
async function letClientsIn() {
  const { service, organizationId } = stage();
  const inside = createCaller(service, organizationId);
  const projectId = await createProject(service, organizationId);
  const { METADATA_DOCUMENT, REGISTRATION } = ExternalClientKind;
  const kinds = [METADATA_DOCUMENT, REGISTRATION];
  await service.call(method.updateExternalClientSettings, { kinds, projectId, hostPatterns: ["127.0.0.1"] });
  const write = "Write, change and delete notes, and share them with people who are not in your organization";
  const scopes = [
    { name: "notes.read", description: "Read your notes", isDefault: true, roleKeys: [] },
    { name: "notes.write", description: write, isDefault: false, roleKeys: [] },
  ];
  const made = await inside(method.createApiApplication, {
    projectId,
    name: "Notes",
    resource: `${resource}:${projectId}`,
    scopes,
    allowExternalClients: true,
  });
  const host = await openDocumentHost();
  const described = host.put(`/agents/${"a-long-name-".repeat(6)}${projectId}.json`, {
    client_name: "An agent that plans journeys and writes down what it has found",
  });
  const onDevice = "http://localhost:33418/callback";
  const answer = await fetch(`http://localhost:${service.port}/oauth/v2/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_name: "Desk agent", redirect_uris: [onDevice] }),
  });
  const { client_id: registered } = (await answer.json()) as { readonly client_id: string };
  const authorizeUrl = (clientId: string, redirectUri: string) => {
    const application = { clientId, redirectUri, secret: "", projectId };
    const scope = "openid profile email offline_access notes.read notes.write";
    const asked = { ...requestOf(application), scope, resource: `${resource}:${projectId}` };
    return `http://localhost:${service.port}/oauth/v2/authorize?${new URLSearchParams(asked).toString()}`;
  };
  const base = `/orgs/${organizationId}/projects/${projectId}/applications`;
  return {
    stop: host.stop,
    asks: {
      described: authorizeUrl(described, documentRedirect),
      registered: authorizeUrl(registered, onDevice),
    },
    places: {
      settings: "/external-clients",
      list: base,
      described: `${base}/${encodeURIComponent(described)}`,
      registered: `${base}/${registered}`,
      api: `${base}/${idOf(made, "appId")}`,
    },
  };
}

describe.each(facesOf("light"))("$face", ({ face, options }) => {
  const pictureOf = (name: string) => `external-${name}-${face.replaceAll(" ", "-")}`;

  test("people are asked on a page that fits and has no serious findings of axe-core, and so the console", async () => {
    const { asks, places, stop } = await letClientsIn();
    const window = await stage().open("/", options);
    for (const [name, url] of Object.entries(asks)) {
      await window.page.goto(url);
      await window.page.locator("form[action$='/confirm']").waitFor();
      await takePicture(window.page, pictureOf(`asks-${name}`));
      await window.expectAccessible();
    }
    for (const [name, place] of Object.entries(places)) {
      await window.visit(place);
      await window.settled();
      await takePicture(window.page, pictureOf(`console-${name}`));
      await window.expectAccessible();
    }
    await window.visit(places.registered);
    await window.page.getByText("External client", { exact: true }).waitFor();
    await window.page.getByText("Nobody has created this client").waitFor();
    expect(await window.page.getByText("Recommendations").count()).toBe(0); // to whom?
    expect(await window.button("Deactivate").count()).toBe(1);
    expect(window.complaints).toEqual([]);
    stop();
  });
});
