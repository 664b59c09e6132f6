/** What the generator is asked to send, and what it found. */

/** How messages are wrapped. */
export type Lane = "gRPC" | "gRPC-web" | "JSON";
export type HttpVersion = "1.1" | "2";

export interface Target {
  readonly url: string;
  /** Value of the authorization header. */
  readonly authorization: string;
  readonly lane: Lane;
  readonly http: HttpVersion;
  /** Who sends: a client as services have it, or (undefined) frames of our own, which cost the generator next to nothing. */
  readonly client?: "@grpc/grpc-js" | undefined;
  readonly call: CallName;
}

/** The calls that are measured. */
export type CallName =
  | "AddUserGrant"
  /** Changes a table that decides about access. */
  | "AddServiceUser"
  | "GetProject"
  | "UpdateProject"
  | "CreateIdentityProvider"
  | "GetUserGrant"
  | "ListUserGrants"
  /** Sets a project to what it is: the caller is judged twice, and nothing is added. */
  | "UpdateProjectAgain"
  /** Adds `batchSize` user grants in one call. */
  | "Write";

/** Objects that the calls are about. */
export interface Stock {
  readonly userIds: readonly string[];
  readonly projectIds: readonly string[];
  /** Those whose grants are listed: nothing is added to them. */
  readonly listedUserIds?: readonly string[];
  readonly grants?: readonly { readonly userId: string; readonly grantId: string }[];
  /** Who makes the calls of UpdateProjectAgain in turn, each on the project that is theirs. */
  readonly callers?: readonly Caller[];
}

export interface Caller {
  readonly authorization: string;
  readonly projectId: string;
  readonly projectName: string;
}

export interface Load {
  readonly target: Target;
  readonly stock: Stock;
  readonly inFlight: number;
  readonly seconds: number;
  /** Calls a second, at fixed times whatever is answered; undefined: a call follows each answer. */
  readonly rate?: number;
  /** The number of the first call: calls of different numbers add different objects. */
  readonly from: number;
}

export interface LoadResult {
  /** Answers in the window; each is a success. */
  readonly count: number;
  /** Calls that were sent, also those answered after the window. */
  readonly sent: number;
  readonly elapsedMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Share of the window in which the generator's own processor was busy, 0 to 1: below 1 it was not the bottleneck. */
  readonly busy: number;
}
