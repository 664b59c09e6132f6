import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import type { JsonObject } from "@bufbuild/protobuf";
import { CustomTextService } from "../../../gen/gatehouse/v1/custom_text_service_pb.ts";
import { MetadataService } from "../../../gen/gatehouse/v1/metadata_service_pb.ts";
import { LabelPolicyService } from "../../../gen/gatehouse/v1/label_policy_service_pb.ts";
import { pngOf } from "../../support/images.ts";
import { createCaller, uniqueName } from "../../support/world.ts";
import type { Target } from "./tenancy-requests.ts";
import type { CallerFacts } from "./tenancy-roles.ts";
import type { MatrixRpc } from "./tenancy-rpcs.ts";
import type { TenancyWorld } from "./tenancy-world.ts";

/** A call that uses its object up, so that it needs one of its own. */
export interface Fresh {
  readonly fields: JsonObject;
  /** Who calls instead, when the object is what their role is about. */
  readonly token?: string;
}

/** The cell that the call is made in. */
export interface Asked {
  readonly world: TenancyWorld;
  readonly rpc: MatrixRpc;
  readonly target: Target;
  readonly caller: CallerFacts;
  /** The organization that gives user grants in the cell. */
  readonly giver: string;
}

/** Prepares the object of a call. */
export type Prepare = (asked: Asked) => Promise<Fresh>;

/** There is a branding, with a draft that is not live, wherever the call acts. */
export const withLabels: Prepare = async ({ world: { service, organizations }, target, caller }) => {
  const hideProductName = ++labels % 2 === 0;
  for (const id of [target.parent.organization, organizations[caller.home]])
    await createCaller(service, id)(LabelPolicyService.method.updateLabelPolicy, { hideProductName });
  await service.call(LabelPolicyService.method.updateDefaultLabelPolicy, { hideProductName });
  return { fields: {} };
};
let labels = 0;

/** The same, and an image for it. */
export const withLabelImage: Prepare = async (asked) => {
  await withLabels(asked);
  const image = pngOf(1 + (labels % 1000), 1).toString("base64");
  return { fields: { kind: "LABEL_IMAGE_KIND_LOGO_LIGHT", image } };
};

/** Somebody has decided which clients may introduce themselves: none. */
export const withExternalClients: Prepare = async ({ world: { service } }) => {
  const hostPatterns = [`${++externals}.example.com`];
  await service.call(ApplicationService.method.updateExternalClientSettings, { hostPatterns });
  return { fields: {} };
};
let externals = 0;

/** There are other texts, wherever the call acts. */
export const withTexts: Prepare = async ({ world: { service, organizations }, target, caller }) => {
  const texts = [{ key: "account.title", text: uniqueName("Konto") }];
  for (const id of [target.parent.organization, organizations[caller.home]])
    await createCaller(service, id)(CustomTextService.method.setCustomTexts, { language: "de", texts });
  await service.call(CustomTextService.method.setDefaultCustomTexts, { language: "de", texts });
  return { fields: { language: "de" } };
};

/** The object that the call names has a key, with another value each time. */
export const withMetadata: Prepare = async ({ world: { service }, rpc, target }) => {
  const { parent, leaf } = target;
  const value = Buffer.from(uniqueName("Value"));
  const item = { key: "shoe-size", value };
  const [kind = ""] = /(?<=^(?:Get|Set|Remove))[A-Z][a-z]+/.exec(rpc.method.name) ?? [];
  const inside = createCaller(service, parent.organization);
  const {
    setUserMetadata,
    setOrganizationMetadata,
    setProjectMetadata,
    setApplicationMetadata,
    setGroupMetadata,
  } = MetadataService.method;
  if (kind === "User") await service.call(setUserMetadata, { userId: parent.user, ...item });
  if (kind === "Organization")
    await service.call(setOrganizationMetadata, { id: parent.organization, ...item });
  if (kind === "Project") await inside(setProjectMetadata, { projectId: leaf.project, ...item });
  if (kind === "Application")
    await inside(setApplicationMetadata, { projectId: leaf.project, appId: leaf.application, ...item });
  if (kind === "Group") await inside(setGroupMetadata, { groupId: leaf.group, ...item });
  return { fields: {} };
};
