import { createHash } from "node:crypto";
import type { Call } from "../../kernel/base/call.ts";
import { changedDetails, createdDetails, type Details } from "../../kernel/base/details.ts";
import type { InstanceId, LabelPolicyId } from "../../kernel/base/ids.ts";
import type { WriteTransaction } from "../../kernel/base/database.ts";
import { change, type FeatureContext, requireTarget, write } from "../context.ts";
import type { PolicyOwner } from "../policies/commands.ts";
import { remove, type Removal } from "../removal.ts";
import {
  activateLabelPolicy,
  addLabelPolicy,
  changeLabelPolicy,
  defaultLabel,
  type LabelImageKind,
  type LabelPolicy,
  labelPolicyNotFound,
  type LabelSettings,
  parseLabelImage,
  removeLabelPolicy,
  requireContrast,
  type StoredLabelPolicy,
  withImage,
} from "./label-policy.ts";
import { findLabelPolicy, putImage } from "./repository.ts";

/** The use cases of brandings. All act on the organization of the call, or on the default. */
export interface LabelPolicyCommands {
  get(call: Call, of: PolicyOwner): Promise<LabelInForce>;
  /** Raises CONTRAST_TOO_LOW; NOT_FOUND with `if-match` where there is no branding. Harmless to repeat. */
  update(call: Call, of: PolicyOwner, settings: LabelSettings): Promise<Details>;
  /** Raises FIELD_INVALID for what is no image. An empty one takes the former one away. Harmless to repeat. */
  setImage(call: Call, of: PolicyOwner, kind: LabelImageKind, bytes: Uint8Array): Promise<Details>;
  /** Raises NOT_FOUND. Harmless to repeat. */
  activate(call: Call, of: PolicyOwner): Promise<Details>;
  /** Removes the branding of the organization. Raises NOT_FOUND. */
  reset(call: Call): Promise<Removal>;
}

/** A branding in force, and the draft of the one that the call is about. */
export interface LabelInForce {
  readonly owner: string;
  readonly label: LabelPolicy;
  /** Of the branding that the call is about, else of the default. Undefined: there is none. */
  readonly details: Details | undefined;
  readonly isDefault: boolean;
  /** Undefined: the owner has no branding of its own. */
  readonly draft: LabelPolicy | undefined;
}

/** Creates the commands of brandings. */
export function createLabelPolicyCommands(
  context: FeatureContext,
  instanceId: InstanceId,
): LabelPolicyCommands {
  const ownerOf = (call: Call, of: PolicyOwner): string =>
    of === "instance" ? instanceId : call.access.organizationId;
  const changeDraft = (call: Call, of: PolicyOwner, decide: DecideDraft) =>
    changeDraftOf(context, call, (begun) => ownerOf(begun, of), decide);
  return {
    get: (call, of) =>
      context.database.read(async (tx) => {
        const owner = ownerOf(call, of);
        const own = await findLabelPolicy(tx, owner);
        const ofInstance = await findLabelPolicy(tx, instanceId);
        return {
          owner,
          label: own?.live ?? ofInstance?.live ?? defaultLabel,
          details: (own ?? ofInstance)?.details,
          isDefault: of === "instance" || own?.live === undefined,
          draft: own?.draft,
        };
      }),
    async update(call, of, settings) {
      requireContrast(settings);
      return await changeDraft(call, of, async ({ images }) => ({ ...settings, images }));
    },
    async setImage(call, of, kind, bytes) {
      if (bytes.length === 0)
        return await changeDraft(call, of, async (draft) => withImage(draft, kind, undefined));
      const facts = parseLabelImage(bytes);
      const hash = createHash("sha256").update(bytes).digest("hex");
      return await changeDraft(call, of, async (draft, tx, resourceOwner) => {
        await putImage(tx, { ...facts, hash, resourceOwner, bytes });
        return withImage(draft, kind, { kind, hash, ...facts });
      });
    },
    activate: (call, of) =>
      change(context, call, { load: ({ tx }) => load(tx, ownerOf(call, of)), decide: activateLabelPolicy }),
    reset: (begun) =>
      remove(context, begun, {
        load: ({ tx, call }) => load(tx, call.access.organizationId),
        decide: (policy) => [removeLabelPolicy(policy)],
      }),
  };
}

type DecideDraft = (draft: LabelPolicy, tx: WriteTransaction, owner: string) => Promise<LabelPolicy>;

/** Changes the draft, which begins as the look of the product. */
function changeDraftOf(
  context: FeatureContext,
  begun: Call,
  ownerOf: (call: Call) => string,
  decide: DecideDraft,
): Promise<Details> {
  return write(context, begun, async ({ tx, call, append }) => {
    const owner = ownerOf(call);
    const policy = await findLabelPolicy(tx, owner);
    if (policy === undefined) {
      if (call.requireMatch !== undefined) throw labelPolicyNotFound(owner);
      const draft = await decide(defaultLabel, tx, owner);
      const added = addLabelPolicy({ id: tx.nextId<LabelPolicyId>(), resourceOwner: owner, draft });
      return createdDetails(await append([added]), owner);
    }
    const draft = await decide(requireTarget(call, policy).draft, tx, owner);
    const events = changeLabelPolicy(policy, draft);
    return events.length === 0 ? policy.details : changedDetails(policy.details, await append(events));
  });
}

async function load(tx: WriteTransaction, owner: string): Promise<StoredLabelPolicy> {
  const policy = await findLabelPolicy(tx, owner);
  if (policy === undefined) throw labelPolicyNotFound(owner);
  return policy;
}
