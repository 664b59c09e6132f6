/** Each line of the list of threats, in its order, and the files that hold the service to it. */
export interface Threat {
  readonly topic: string;
  readonly threat: string;
  /** Paths from `test/`. None: the operation that it is about, or its test, does not exist yet. */
  readonly files: readonly string[];
}

const saml = "identity/applications/saml/metadata-hostile.test.ts";

export const threats: readonly Threat[] = [
  {
    topic: "Across tenants",
    threat: "every rpc, whose object, which role: only what is allowed, in the same words",
    files: [
      "api/tenancy-people.sized.test.ts",
      "api/tenancy-projects.sized.test.ts",
      "api/tenancy-lists.test.ts",
      "identity/access/authorization.test.ts",
      "hostile/fuzz.test.ts",
    ],
  },
  {
    topic: "Across tenants",
    threat: "permission is judged for the organization that owns the object",
    files: ["identity/access/authorization.test.ts", "identity/access/confirm.test.ts"],
  },
  {
    topic: "Across tenants",
    threat: "a total counts what the caller may see",
    files: ["identity/projects/list.test.ts", "identity/access/authorization.test.ts"],
  },
  { topic: "Across tenants", threat: "ids are not used again", files: ["kernel/base/ids.test.ts"] },
  {
    topic: "Every rpc has an access rule",
    threat: "each rpc without token, with a stranger's, with a viewer's, on each content type",
    files: [
      "api/access-matrix.sized.test.ts",
      "api/tenancy-people.sized.test.ts",
      "api/tenancy-projects.sized.test.ts",
    ],
  },
  {
    topic: "Every rpc has an access rule",
    threat: "unknown and extra fields never widen rights",
    files: ["api/fields.test.ts", "hostile/fuzz.test.ts"],
  },
  {
    topic: "Guessing codes",
    threat: "1,000 wrong codes, 64 at a time, with a restart",
    files: ["hostile/guessing.test.ts", "identity/people/phones/commands.test.ts"],
  },
  {
    topic: "Guessing codes",
    threat: "64 parallel submits of the right code",
    files: ["hostile/guessing.test.ts", "api/concurrency.sized.test.ts"],
  },
  {
    topic: "Guessing codes",
    threat: "another user's code, one of the number before, a used one",
    files: ["identity/people/phones/commands.test.ts"],
  },
  {
    topic: "Guessing codes",
    threat: "nobody has their own code returned",
    files: ["identity/people/phones/commands.test.ts", "api/errors.test.ts"],
  },
  {
    topic: "Grants",
    threat: "roles that are not there, __proto__, 10,000 of them",
    files: ["hostile/guessing.test.ts", "identity/user-grants/commands.test.ts"],
  },
  {
    topic: "Grants",
    threat: "granting oneself, granting on",
    files: ["identity/user-grants/commands.test.ts", "identity/memberships/commands.test.ts"],
  },
  {
    topic: "Grants",
    threat: "what is deactivated loses its effect at once; several roles removed at once",
    files: [],
  },
  {
    topic: "URLs that callers give",
    threat: "loopback and private addresses in every spelling, schemes, user@host",
    files: [
      "hostile/ssrf.test.ts",
      "kernel/outbound/address.test.ts",
      "kernel/outbound/guarded-fetch.test.ts",
    ],
  },
  {
    topic: "URLs that callers give",
    threat: "names that resolve public first and private next",
    files: ["hostile/ssrf.test.ts", "kernel/outbound/guarded-fetch.test.ts"],
  },
  {
    topic: "URLs that callers give",
    threat: "redirects, endless and huge bodies, slow headers",
    files: [
      "kernel/outbound/guarded-fetch.test.ts",
      "kernel/outbound/guarded-fetch-answers.test.ts",
      "api/saml.test.ts",
    ],
  },
  {
    topic: "XML",
    threat: "each document refused for its reason within 100 ms, others not held up by 50 ms",
    files: ["hostile/xml.test.ts", saml],
  },
  {
    topic: "WebAuthn",
    threat: "each bad credential refused with a reason",
    files: [
      "api/u2f.test.ts",
      "kernel/webauthn/registration-verification.test.ts",
      "kernel/webauthn/cbor.test.ts",
    ],
  },
  {
    topic: "JSON and protobuf",
    threat: "hostile values, frames and lengths: a 4xx or its gRPC code, prototypes untouched",
    files: ["hostile/fuzz.test.ts", "sites/rpc/fuzz.sized.test.ts", "sites/rpc/json.test.ts"],
  },
  {
    topic: "JSON and protobuf",
    threat: "compressed bombs, memory bounded",
    files: ["hostile/bombs.test.ts", "hostile/fuzz.test.ts"],
  },
  {
    topic: "JSON and protobuf",
    threat: "a message that is judged in one reading and decoded in another one",
    files: ["sites/rpc/lanes/binary-scan.test.ts", "hostile/wire-types.test.ts", "hostile/bombs.test.ts"],
  },
  {
    topic: "HTTP",
    threat: "a hostile Host, CR/LF in values",
    files: ["kernel/http/listener.test.ts", "hostile/fuzz.test.ts", "hostile/found.test.ts"],
  },
  {
    topic: "HTTP",
    threat: "slow headers, bodies and readers, resets, floods, idle connections",
    files: ["kernel/http/listener.test.ts"],
  },
  {
    topic: "HTTP",
    threat: "X-Forwarded-* and Host change nothing that is stored or sent",
    files: ["kernel/http/listener.test.ts"],
  },
  {
    topic: "Secrets",
    threat: "canary values are in no log, error, event, metric or file; log lines stay one line",
    files: ["process/secrets.test.ts"],
  },
  {
    topic: "Page tokens and search text",
    threat: "every byte changed, another organization's, wildcards",
    files: ["hostile/page-tokens.test.ts", "kernel/base/paging.test.ts"],
  },
  { topic: "Storage", threat: "kill -9 at any moment", files: ["faults/kill.test.ts"] },
  {
    topic: "Storage",
    threat: "a second process on the file, a clock that jumps back",
    files: ["faults/two-processes.test.ts", "faults/clock.test.ts", "kernel/events/event-log.test.ts"],
  },
  {
    topic: "Storage",
    threat: "disk full, read-only file, errors of the disk, a truncated log of the engine",
    files: [
      "faults/disk-full.test.ts",
      "faults/fsync-error.test.ts",
      "faults/log-cut.test.ts",
      "process/operator-disk.test.ts",
      "process/operator-folder.test.ts",
    ],
  },
  {
    topic: "Storage",
    threat: "a client that disconnects leaves all or nothing",
    files: ["faults/disconnects.test.ts", "process/stop.test.ts", "kernel/http/listener.test.ts"],
  },
];
