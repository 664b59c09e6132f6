/** What a worker is begun with. */
export interface WorkerOrder {
  /** As the command line gave them to the process that begins workers. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** From 0 to `count - 1`; one that replaces another has its slot. */
  readonly slot: number;
  readonly count: number;
  /** Whether it is the first one, which makes what is missing. The others begin when it serves. */
  readonly isFirst: boolean;
  /** Where the process that begins workers listens. */
  readonly host: string;
  readonly port: number;
}

/** What workers are told. */
export type ToWorker =
  | { readonly kind: "order"; readonly order: WorkerOrder }
  /** A connection, which comes with the message. */
  | { readonly kind: "connection"; readonly id: number }
  | { readonly kind: "turn"; readonly isAfterLoss: boolean; readonly isWanted: boolean }
  | { readonly kind: "turn-wanted" }
  | { readonly kind: "lead" }
  | { readonly kind: "ping" }
  | { readonly kind: "reload" }
  | { readonly kind: "stop" }
  /** Asks for the metrics of this worker, for the one in `from`. */
  | { readonly kind: "metrics"; readonly id: number; readonly from: number }
  /** The metrics of the others. */
  | { readonly kind: "metrics-of-others"; readonly id: number; readonly texts: readonly WorkerMetrics[] };

/** What workers tell. */
export type FromWorker =
  /** It serves. `signUpUrl`: as the process prints it at the first start in local mode. */
  | { readonly kind: "serving"; readonly signUpUrl?: string | undefined }
  /** It has the connection; `open` are those that it has. */
  | { readonly kind: "taken"; readonly id: number; readonly open: number }
  | { readonly kind: "turn-want" }
  | { readonly kind: "turn-free" }
  | { readonly kind: "pong"; readonly open: number }
  | { readonly kind: "metrics-wanted"; readonly id: number }
  | { readonly kind: "metrics"; readonly id: number; readonly from: number; readonly text: string };

/** The metrics of a worker, in the text format of Prometheus. */
export interface WorkerMetrics {
  readonly slot: number;
  readonly text: string;
}

/** The exit code of a worker whose disk did not confirm a commit: then no other one may go on. */
export const lostWriteCode = 70;

/** The command that a process is begun with to be a worker; it is in no help. */
export const workerCommand = "serve-as-worker";
