import { HookClaimSchema, HookSchema } from "../../../gen/gatehouse/v1/hook_pb.ts";
import { HookService } from "../../../gen/gatehouse/v1/hook_service_pb.ts";
import { listAll } from "../../client/client.ts";
import { collect } from "../reading/reader.ts";
import type { ObjectKind } from "./object-kind.ts";
import { toStored } from "./stored.ts";

/** Returns the hooks of organizations or of the instance. */
export function hooksOf(owner: "organization" | "instance"): ObjectKind {
  return {
    key: "hooks",
    noun: "hook",
    form: "list",
    names: ["name"],
    isFolded: true,
    own: "hook_id",
    add: "addHook",
    updates: ["updateHook"],
    remove: "removeHook",
    switches: { deactivate: "deactivateHook", reactivate: "reactivateHook" },
    ...(owner === "instance" ? { fixed: { instance: true } } : {}),
    order: 20,
    target: "hook",
    children: [],
    async read(reader, { organizationId }) {
      const service = reader.in(organizationId, HookService);
      const all = await collect(listAll(service.listHooks, { instance: owner === "instance" }));
      return all.map((hook) => toStored(HookSchema, hook));
    },
  };
}

/** Returns the name of the claim below which an application tells what hooks add. `key`: that of the kind of applications. */
export function hookClaimOf(key: string): ObjectKind {
  return {
    key: "hook_claim",
    noun: "claim of hooks",
    form: "one",
    names: [],
    inline: "claim",
    updates: ["setHookClaim"],
    partOf: key,
    path: { project_id: "projects", app_id: key },
    order: 70,
    children: [],
    async read(reader, place) {
      if (place.isNew) return [{ id: "", settings: { claim: "" } }];
      const [projectId = "", appId = ""] = [place.ids["projects"], place.ids[key]];
      const { hookClaim } = await reader
        .in(place.organizationId, HookService)
        .getHookClaim({ projectId, appId });
      return hookClaim === undefined ? [] : [toStored(HookClaimSchema, hookClaim)];
    },
  };
}
