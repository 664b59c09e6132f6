/** Random changes that concern each other: each names objects that are there, or that an earlier one was to make. */
import type { JsonObject } from "@bufbuild/protobuf";
import * as fc from "fast-check";
import { jwtConfig, samlMetadata, type World } from "../../support/world.ts";

/** A change before it is known what it is about. */
export interface Drawn {
  readonly kind: Kind;
  /** Which object, which name, which other object. */
  readonly which: number;
  readonly name: number;
  readonly other: number;
  /** The organization that it names; most name none. */
  readonly acting: number;
}

/** An item of a batch, or a call. */
export interface Plan {
  readonly field: string;
  readonly request: JsonObject;
  /** An id or a reference; absent: the caller's. */
  readonly organizationId?: string;
}

type Made =
  | "organization"
  | "project"
  | "user"
  | "grant"
  | "membership"
  | "token"
  | "application"
  | "provider";

interface Builder {
  readonly makes?: Made;
  build(at: Chooser, drawn: Drawn): JsonObject;
}

interface Chooser {
  /** The id of an object that is there, or a reference to one that may be. */
  id(kind: Made, which: number): string;
  name(which: number): string;
}

const roleKeys = ["reader", "writer", "auditor"];
const keyOf = (which: number) => roleKeys[which % roleKeys.length] ?? "";
const roles = ["ORGANIZATION_OWNER", "ORGANIZATION_VIEWER", "PROJECT_OWNER", "INSTANCE_OWNER"];
const roleOf = (which: number) => roles[which % roles.length] ?? "";

const builders = {
  addOrganization: { makes: "organization", build: (at, { name }) => ({ name: at.name(name) }) },
  deactivateOrganization: { build: (at, { which }) => ({ id: at.id("organization", which + 1) }) },
  removeOrganization: { build: (at, { which }) => ({ id: at.id("organization", which + 1) }) },
  addProject: { makes: "project", build: (at, { name }) => ({ name: at.name(name) }) },
  updateProject: { build: (at, { which, name }) => ({ id: at.id("project", which), name: at.name(name) }) },
  deactivateProject: { build: (at, { which }) => ({ id: at.id("project", which) }) },
  reactivateProject: { build: (at, { which }) => ({ id: at.id("project", which) }) },
  removeProject: { build: (at, { which }) => ({ id: at.id("project", which + 1) }) },
  addProjectRole: {
    build: (at, { which, name }) => ({ projectId: at.id("project", which), roleKey: keyOf(name) }),
  },
  bulkAddProjectRoles: {
    build: (at, { which, name, other }) => ({
      projectId: at.id("project", which),
      roles: [{ roleKey: keyOf(name) }, { roleKey: keyOf(other) }],
    }),
  },
  removeProjectRole: {
    build: (at, { which, name }) => ({ projectId: at.id("project", which), roleKey: keyOf(name) }),
  },
  addProjectGrant: {
    build: (at, { which, name, other }) => ({
      projectId: at.id("project", which),
      grantedOrganizationId: at.id("organization", other),
      roleKeys: [keyOf(name)],
    }),
  },
  addServiceUser: { makes: "user", build: (at, { name }) => ({ username: at.name(name), name: "Service" }) },
  addHumanUser: {
    makes: "user",
    build: (at, { name }) => ({
      username: at.name(name),
      givenName: "A",
      familyName: "B",
      email: "a@example.com",
    }),
  },
  lockUser: { build: (at, { which }) => ({ userId: at.id("user", which) }) },
  unlockUser: { build: (at, { which }) => ({ userId: at.id("user", which) }) },
  removeUser: { build: (at, { which }) => ({ userId: at.id("user", which + 1) }) },
  addPersonalAccessToken: { makes: "token", build: (at, { which }) => ({ userId: at.id("user", which) }) },
  removePersonalAccessToken: {
    build: (at, { which, other }) => ({ userId: at.id("user", which), tokenId: at.id("token", other) }),
  },
  addUserGrant: {
    makes: "grant",
    build: (at, { which, name, other }) => ({
      userId: at.id("user", which),
      projectId: at.id("project", other),
      roleKeys: [keyOf(name)],
    }),
  },
  removeUserGrant: {
    build: (at, { which, other }) => ({ userId: at.id("user", which), grantId: at.id("grant", other) }),
  },
  bulkRemoveUserGrants: {
    build: (at, { which, other }) => ({ grantIds: [at.id("grant", which), at.id("grant", other)] }),
  },
  addMembership: {
    makes: "membership",
    build: (at, { which, name, other }) => ({
      userId: at.id("user", which),
      ...(name % 2 === 0
        ? { organizationId: at.id("organization", other) }
        : { projectId: at.id("project", other) }),
      roles: [roleOf(name)],
    }),
  },
  updateMembership: {
    build: (at, { which, name }) => ({ membershipId: at.id("membership", which), roles: [roleOf(name)] }),
  },
  removeMembership: { build: (at, { which }) => ({ membershipId: at.id("membership", which) }) },
  createIdentityProvider: {
    makes: "provider",
    build: (at, { name }) => ({ name: at.name(name), jwt: { ...jwtConfig } }),
  },
  removeIdentityProvider: { build: (at, { which }) => ({ idpId: at.id("provider", which) }) },
  createSamlApplication: {
    makes: "application",
    build: (at, { which, name }) => ({
      projectId: at.id("project", which),
      name: at.name(name),
      metadataXml: Buffer.from(
        samlMetadata(`https://sp.example.com/${encodeURIComponent(at.name(name))}`),
      ).toString("base64"),
    }),
  },
  removeApplication: {
    build: (at, { which, other }) => ({
      projectId: at.id("project", which),
      appId: at.id("application", other),
    }),
  },
} satisfies Readonly<Record<string, Builder>>;

type Kind = keyof typeof builders;
const kinds = Object.keys(builders) as Kind[];
const making: readonly Kind[] = [
  "addProject",
  "addServiceUser",
  "addUserGrant",
  "addMembership",
  "addProjectRole",
];
const number = fc.nat(5);

/** Lists of changes. */
export const drawnLists: fc.Arbitrary<readonly Drawn[]> = fc.array(
  fc.record({
    kind: fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom(...kinds) },
      { weight: 1, arbitrary: fc.constantFrom(...making) },
    ),
    which: number,
    name: number,
    other: number,
    acting: fc.nat(11),
  }),
  { minLength: 15, maxLength: 60, size: "max" },
);

/** Where changes are made. */
export interface Place {
  readonly world: World;
  /** An organization of somebody else. */
  readonly foreignId: string;
  /** Makes names others than those of other rounds. */
  readonly round: number;
}

/** Returns what the changes are. */
export function planAll({ world, foreignId, round }: Place, all: readonly Drawn[]): readonly Plan[] {
  const known: Record<Made, string[]> = {
    organization: [world.organizationId, foreignId],
    project: [world.projectId],
    user: [world.userId, world.viewer.id],
    grant: [world.userGrantId],
    membership: [world.membershipId],
    token: [world.tokenId],
    application: [world.appId],
    provider: [world.idpId],
  };
  const at: Chooser = {
    id: (kind, which) => known[kind][which % known[kind].length] ?? "",
    name: (which) => (which === 5 ? "" : `name ${which} of ${round}`),
  };
  return all.map((drawn, index) => {
    const builder: Builder = builders[drawn.kind];
    const plan = {
      field: drawn.kind,
      request: builder.build(at, drawn),
      ...(drawn.acting < 3 ? { organizationId: at.id("organization", drawn.acting) } : {}),
    };
    if (builder.makes !== undefined) known[builder.makes].push(`bulkId:${index}`);
    return plan;
  });
}
