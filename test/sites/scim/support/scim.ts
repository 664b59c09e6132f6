import type { TestService } from "../../../support/service.ts";
import { createServiceUser, idOf, uniqueName } from "../../../support/world.ts";
import { OrganizationService } from "../../../../gen/gatehouse/v1/organization_service_pb.ts";

/** An answer of SCIM. */
export interface ScimAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Of an answer without a body: nothing. */
  readonly body: ScimBody;
}

/** What answers have. */
export interface ScimBody {
  readonly id: string;
  readonly userName: string;
  readonly externalId?: string;
  readonly schemas: readonly string[];
  readonly meta: { readonly version: string; readonly location: string };
  readonly totalResults?: number;
  readonly Resources: readonly ScimBody[];
  readonly nextCursor?: string;
  readonly scimType?: string;
  readonly [other: string]: unknown;
}

/** A directory: a service user of an organization, and its requests. */
export interface Directory {
  readonly organizationId: string;
  readonly userId: string;
  readonly token: string;
  send(
    verb: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ScimAnswer>;
  /** Adds a user, and returns the id. */
  addUser(more?: Readonly<Record<string, unknown>>): Promise<string>;
}

/** Makes a directory, in an organization of its own unless one is given. */
export async function createDirectory(
  service: TestService,
  {
    organizationId,
    role = "ORGANIZATION_OWNER",
  }: { readonly organizationId?: string; readonly role?: string } = {},
): Promise<Directory> {
  const organization =
    organizationId ??
    idOf(
      await service.call(OrganizationService.method.addOrganization, { name: uniqueName("Scim") }),
      "organizationId",
    );
  const { id: userId, token } = await createServiceUser(service, organization, role);
  const send: Directory["send"] = async (verb, path, body, headers = {}) => {
    const answer = await service.http.send({
      method: verb,
      path: `/scim/v2/${organization}${path}`,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/scim+json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { ...answer, body: JSON.parse(answer.text || "{}") as ScimBody };
  };
  return {
    organizationId: organization,
    userId,
    token,
    send,
    async addUser(more = {}) {
      const { status, body } = await send("POST", "/Users", { ...person(), ...more });
      if (status !== 201) throw new Error(JSON.stringify(body));
      return body.id;
    },
  };
}

/** A user as a directory sends one. */
export function person() {
  const username = uniqueName("ada").replaceAll(" ", ".");
  return {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
    userName: username,
    name: { givenName: "Ada", familyName: "Lovelace" },
    emails: [{ value: `${username}@example.com`, type: "work", primary: true }],
    active: true,
  };
}
