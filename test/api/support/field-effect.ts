import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { DescMethodUnary, JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { TestService } from "../../support/service.ts";
import type { World } from "../../support/world.ts";

/** Where the cases make what their requests name. */
export interface Ground {
  readonly service: TestService;
  readonly world: World;
  /** The organization that the project of the world is granted to. */
  readonly partnerId: string;
  readonly secondDomain: string;
}

/** A call that shows what a request has done. */
export type Read = readonly [method: DescMethodUnary, request: JsonObject];

/** What a request is sent with, and how what it did is seen. */
export interface Prepared {
  /** Values by proto path: of fields that name something or have rules. Every other field gets a sample. */
  readonly given?: Readonly<Record<string, JsonValue>>;
  readonly read: (answer: JsonObject) => Read;
  /** Who calls. Default: the administrator. */
  readonly token?: string;
  /** The organization that is acted on. Default: that of the world. */
  readonly organizationId?: string;
}

/** What it takes to see the effect of the fields of an rpc. */
export interface EffectCase {
  /** Makes what the request names. `without` are the fields that the request leaves out. */
  prepare(ground: Ground, without: readonly string[]): Promise<Prepared>;
  /** Fields that exclude each other and are no oneof: in each request, one of these sets is left out. */
  readonly alternatives?: readonly (readonly string[])[];
  /** How the effect of a field is seen which is not shown under its own name with its own value. */
  readonly seenAs?: Readonly<Record<string, (seen: Seen) => boolean>>;
  /** Fields whose effect no answer shows, with the reason. */
  readonly unseen?: Readonly<Record<string, string>>;
}

/** What a request has led to. */
export interface Seen {
  /** What the field was sent with. */
  readonly value: JsonValue;
  readonly answer: JsonObject;
  /** The answer of the read, without what surrounds the object. */
  readonly read: JsonObject;
}

/** Sees a field that the read shows as the id of the object. */
export const seenAsId = ({ value, read }: Seen) =>
  JSON.stringify(read).includes(`"id":${JSON.stringify(value)}`);

/** The dates of a right before an update. */
export const dates = { startDate: timestampFromMs(0), endDate: timestampFromMs(4_000_000_000_000) };

/** How an update changes them, or takes them away. */
export const changesDates: Pick<EffectCase, "alternatives" | "seenAs"> = {
  alternatives: [
    ["remove_start_date", "remove_end_date"],
    ["start_date", "end_date"],
  ],
  seenAs: {
    remove_start_date: ({ read }) => !JSON.stringify(read).includes("startDate"),
    remove_end_date: ({ read }) => !JSON.stringify(read).includes("endDate"),
  },
};
