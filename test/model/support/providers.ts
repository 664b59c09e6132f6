import type { JsonObject } from "@bufbuild/protobuf";
import { isDeepStrictEqual } from "node:util";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import type { Draw } from "./draw.ts";
import { providerMessage } from "./messages.ts";
import { onHeader, type Operations, type Plan, present, refuseIf, toState } from "./plan.ts";
import type { Caller } from "./permissions.ts";
import { isSameName, type Provider, type World } from "./world.ts";

const { method } = IdentityProviderService;

/** All rpcs of IdentityProviderService. */
export const providerOperations: Operations = {
  createIdentityProvider: (world, draw) =>
    createProvider(world, draw.header(draw.live(world.organizations)?.id), drawProvider(draw)),
  addJwtIdentityProvider(world, draw) {
    const wanted = drawProvider(draw, "jwt");
    const { audiences: _audiences, ...config } = wanted.config;
    const request = { name: wanted.name, ...wanted.settings, ...config };
    // The header of the request is not read.
    return {
      ...adding(world, undefined, { ...wanted, config: { ...config, audiences: [] } }),
      method: method.addJwtIdentityProvider,
      request,
    };
  },
  addOidcIdentityProvider(world, draw) {
    const wanted = drawProvider(draw, "oidc");
    const header = draw.header(draw.live(world.organizations)?.id);
    const request = { name: wanted.name, ...wanted.settings, ...wanted.config, clientSecret: wanted.secret };
    return { ...adding(world, header, wanted), method: method.addOidcIdentityProvider, request };
  },
  updateJwtIdentityProvider(world, draw) {
    const id = draw.id(world.providers);
    const { audiences: _audiences, ...config } = drawProvider(draw, "jwt").config;
    return changing(world, draw, {
      method: method.updateJwtIdentityProvider,
      id,
      request: config as JsonObject,
      decide: (provider) => {
        refuseIf(provider.kind !== "jwt", "WRONG_KIND");
        return merging(provider, { config: { ...provider.config, ...config } });
      },
    });
  },
  updateIdentityProvider(world, draw) {
    const id = draw.id(world.providers);
    const old = world.providers.find(id);
    const drawn = drawProvider(draw, draw.chance(0.9) ? old?.kind : undefined);
    const wanted = draw.chance(0.5) || old?.kind !== drawn.kind ? drawn : { ...drawn, ...kept(draw, old) };
    const keepsSecret = draw.chance(0.4);
    const sent = keepsSecret ? wanted.config : { ...wanted.config, clientSecret: wanted.secret };
    return changing(world, draw, {
      method: method.updateIdentityProvider,
      id,
      request: {
        name: wanted.name,
        ...wanted.settings,
        [wanted.kind]: (hasSecret(wanted) ? sent : wanted.config) as JsonObject,
      },
      decide: (provider) => {
        refuseIf(provider.kind !== wanted.kind, "WRONG_KIND");
        refuseIf(isTaken(world, provider.resourceOwner, wanted.name, id), "ALREADY_EXISTS");
        const { name, settings } = wanted;
        const config = unique(wanted.config);
        return merging(provider, {
          name,
          settings,
          config,
          ...(keepsSecret ? {} : { secret: wanted.secret }),
        });
      },
    });
  },
  getIdentityProvider(world, draw) {
    const id = draw.id(world.providers);
    return {
      ...inside(
        world,
        draw,
        { method: method.getIdentityProvider, id, permission: "idp.read" },
        (provider) => ({
          kind: "read",
          answer: { identityProvider: providerMessage(provider) },
        }),
      ),
    };
  },
  listIdentityProviders(world, draw) {
    const filter = {
      name: draw.chance(0.6) ? "" : draw.name("Provider"),
      state: draw.state("IDENTITY_PROVIDER"),
    };
    return listProviders(world, draw.header(draw.live(world.organizations)?.id), filter);
  },
  deactivateIdentityProvider: (world, draw) =>
    changing(world, draw, {
      method: method.deactivateIdentityProvider,
      id: draw.id(world.providers),
      decide: (provider) => toState(provider, "INACTIVE"),
    }),
  reactivateIdentityProvider: (world, draw) =>
    changing(world, draw, {
      method: method.reactivateIdentityProvider,
      id: draw.id(world.providers),
      decide: (provider) => toState(provider, "ACTIVE"),
    }),
  removeIdentityProvider: (world, draw) =>
    changing(world, draw, {
      method: method.removeIdentityProvider,
      id: draw.id(world.providers),
      decide: (provider) => ({
        kind: "changed",
        entity: provider,
        note: () => world.providers.remove(({ id }) => id === provider.id),
      }),
    }),
};

type Wanted = Pick<Provider, "kind" | "name" | "settings" | "config" | "secret">;

export function createProvider(world: World, header: string | undefined, wanted: Wanted): Plan {
  const config = hasSecret(wanted) ? { ...wanted.config, clientSecret: wanted.secret } : wanted.config;
  return {
    ...adding(world, header, wanted),
    method: method.createIdentityProvider,
    request: { name: wanted.name, ...wanted.settings, [wanted.kind]: config as JsonObject },
  };
}

export function listProviders(
  world: World,
  header: string | undefined,
  filter = { name: "", state: "IDENTITY_PROVIDER_STATE_UNSPECIFIED" },
): Plan {
  return {
    method: method.listIdentityProviders,
    header,
    request: filter,
    judge: (caller) => {
      const { organizationId } = onHeader(world, caller, { header, permission: "idp.read" });
      const items = world.providers.where(
        (provider) =>
          provider.resourceOwner === organizationId &&
          (filter.name === "" || isSameName(provider.name, filter.name)) &&
          (filter.state.endsWith("UNSPECIFIED") || filter.state.endsWith(`_STATE_${provider.state}`)),
      );
      return { kind: "list", field: "identityProviders", items: items.map(providerMessage) };
    },
  };
}

export function drawProvider(
  draw: Draw,
  kind: Provider["kind"] = draw.pick(["jwt", "oidc", "saml", "github"] as const),
): Wanted {
  const settings = {
    stylingType: draw.pick(["STYLING_TYPE_UNSPECIFIED", "STYLING_TYPE_GOOGLE"]),
    autoRegister: draw.chance(0.5),
  };
  const secret = hasSecret({ kind })
    ? draw.pick(["the first client secret", "the second client secret"])
    : "";
  return { kind, name: draw.name("Provider"), settings, config: drawConfig(draw, kind), secret };
}

function hasSecret({ kind }: Pick<Provider, "kind">): boolean {
  return kind === "oidc" || kind === "github";
}

function drawConfig(draw: Draw, kind: Provider["kind"]): Provider["config"] {
  const mapping = () =>
    draw.pick(["OIDC_MAPPING_FIELD_UNSPECIFIED", "OIDC_MAPPING_FIELD_PREFERRED_USERNAME"]);
  switch (kind) {
    case "jwt":
      return {
        jwtEndpoint: "https://idp.example.com/jwt",
        issuer: draw.pick(["one", "two"]),
        keysEndpoint: "https://idp.example.com/keys",
        headerName: "x-jwt",
        audiences: draw.some(["audience"]),
      };
    case "oidc":
      return {
        clientId: draw.pick(["one", "two"]),
        issuer: "https://idp.example.com",
        scopes: draw.some(["openid", "email"]),
        displayNameMapping: mapping(),
        usernameMapping: mapping(),
      };
    case "saml":
      return {
        entityId: draw.pick(["https://one.example", "https://two.example"]),
        metadataUrl: "https://idp.example.com/metadata",
        metadataXml: "",
        idAttribute: draw.pick(["", "uid"]),
        trustMail: draw.chance(0.5),
      };
    case "github":
      return { clientId: draw.pick(["one", "two"]), baseUrl: "" };
  }
}

/** What an update leaves as it is: the name, or all. */
function kept(draw: Draw, { name, settings, config, secret }: Provider): Partial<Wanted> {
  return draw.chance(0.5) ? { name } : { name, settings, config, secret };
}

/** Adds to the organization of the header; every rpc that adds does the same. */
function adding(world: World, header: string | undefined, wanted: Wanted): Pick<Plan, "header" | "judge"> {
  return {
    header,
    judge: (caller) => {
      const { organizationId } = onHeader(world, caller, { header, permission: "idp.write" });
      refuseIf(isTaken(world, organizationId, wanted.name), "ALREADY_EXISTS");
      return {
        kind: "created",
        owner: organizationId,
        idField: "idpId",
        note: ({ id, date }) =>
          world.providers.add({
            ...wanted,
            config: unique(wanted.config),
            id,
            label: world.label("provider"),
            resourceOwner: organizationId,
            created: date,
            sequence: date,
            state: "ACTIVE",
          }),
      };
    },
  };
}

interface Inside {
  readonly method: Plan["method"];
  readonly id: string;
  readonly request?: JsonObject;
}

/** A call on one provider of the organization of the header. */
function inside(
  world: World,
  draw: Draw,
  asked: Inside & { readonly permission: string },
  decide: (provider: Provider) => ReturnType<Plan["judge"]>,
): Plan {
  const header = draw.header(world.providers.find(asked.id)?.resourceOwner);
  return {
    method: asked.method,
    header,
    request: { idpId: asked.id, ...asked.request },
    judge: (caller: Caller) => {
      const { organizationId } = onHeader(world, caller, { header, permission: asked.permission });
      const provider = present(world.providers.find(asked.id));
      refuseIf(provider.resourceOwner !== organizationId, "NOT_FOUND");
      return decide(provider);
    },
  };
}

function changing(
  world: World,
  draw: Draw,
  asked: Inside & { readonly decide: (provider: Provider) => ReturnType<Plan["judge"]> },
): Plan {
  return inside(world, draw, { ...asked, permission: "idp.write" }, asked.decide);
}

/** A change of some fields; the same values change nothing. */
function merging(provider: Provider, fields: Partial<Provider>): ReturnType<Plan["judge"]> {
  const comparable = ({ name, settings, config, secret }: Provider) => [name, settings, config, secret];
  return {
    kind: "changed",
    entity: provider,
    isSame: isDeepStrictEqual(comparable(provider), comparable({ ...provider, ...fields })),
    note: (date) => Object.assign(provider, { ...fields, sequence: date }),
  };
}

/** Scopes are a set; audiences are kept as they were sent. */
function unique(config: Provider["config"]): Provider["config"] {
  const { scopes } = config;
  return Array.isArray(scopes) ? { ...config, scopes: [...new Set(scopes)] } : config;
}

function isTaken(world: World, organizationId: string, name: string, exceptId = ""): boolean {
  return world.providers
    .all()
    .some(
      (other) =>
        other.resourceOwner === organizationId && other.id !== exceptId && isSameName(other.name, name),
    );
}
