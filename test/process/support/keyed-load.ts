import { createHttpClient, type HttpClient } from "../../support/http-client.ts";

/** A process that serves, for as long as it lives. */
export interface Life {
  readonly url: string;
  /** Resolves when the process is gone. */
  readonly over: Promise<unknown>;
}

/** A call that one client had to make, and how it was answered in the end. */
export interface Done {
  readonly kind: "add project" | "rename project" | "add token";
  /** What its event says and that of no other call: a name, or when a token expires. */
  readonly mark: string;
  readonly answer: {
    readonly id?: string;
    readonly tokenId?: string;
    readonly details: { readonly sequence: string };
  };
  readonly isReplayed: boolean;
}

/** Clients that make changes, each with an idempotency key, and ask again until they are answered. */
export interface KeyedLoad {
  readonly done: readonly Done[];
  /** Lets the clients call the process. Those that fail wait for the next one once it is over. */
  serveFrom(life: Life): void;
  /** Resolves when so many calls are answered. Rejects when one is refused. */
  reach(count: number): Promise<void>;
  /** Rejects when a call is refused; never resolves before `end`. */
  readonly failed: Promise<unknown>;
  /** Lets each client end the call it is at. */
  end(): Promise<unknown>;
}

interface Job {
  readonly kind: Done["kind"];
  readonly mark: string;
  readonly path: string;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Starts so many clients, which wait for the first process. `userId` is the user who gets tokens. */
export function startKeyedLoad(setup: {
  readonly clients: number;
  readonly token: string;
  readonly userId: string;
}): KeyedLoad {
  const done: Done[] = [];
  let isEnding = false;
  let next = Promise.withResolvers<Life>();
  let progress = Promise.withResolvers<void>();
  const run = async (client: number) => {
    let asked = 0;
    const ask = async (job: Job): Promise<Done> => {
      const key = `client ${client} call ${(asked += 1)}`;
      for (;;) {
        const life = await next.promise;
        const ended = await send(life, setup.token, { job, key });
        if (ended !== undefined) {
          done.push(ended);
          progress.resolve();
          return ended;
        }
        await life.over;
      }
    };
    await work(client, { ask, userId: setup.userId, isEnding: () => isEnding });
  };
  const running = Array.from({ length: setup.clients }, (_each, client) => run(client));
  const all = Promise.all(running);
  all.catch(() => {}); // all who wait for one of these promises hear of it
  return {
    done,
    failed: all,
    serveFrom(life) {
      next.resolve(life);
      void life.over.then(() => {
        next = Promise.withResolvers<Life>();
      });
    },
    async reach(count) {
      while (done.length < count) {
        progress = Promise.withResolvers<void>();
        await Promise.race([progress.promise, all]);
      }
    },
    async end() {
      isEnding = true;
      return await all;
    },
  };
}

const projects = "/gatehouse.v1.ProjectService";

/** Adds a project, and renames it time after time with the sequence that was answered last; between these, adds tokens. */
async function work(
  client: number,
  setup: {
    readonly ask: (job: Job) => Promise<Done>;
    readonly userId: string;
    readonly isEnding: () => boolean;
  },
): Promise<void> {
  const { ask, userId, isEnding } = setup;
  for (let project = 0; !isEnding(); project += 1) {
    const name = `client ${client} project ${project}`;
    const added = await ask({
      kind: "add project",
      mark: name,
      path: `${projects}/AddProject`,
      body: { name },
    });
    const { id } = added.answer;
    let { sequence } = added.answer.details;
    for (let change = 0; change < 3 && !isEnding(); change += 1) {
      const mark = `${name} change ${change}`;
      const body = { id, name: mark };
      const headers = { "if-match": `"${sequence}"` };
      const path = `${projects}/UpdateProject`;
      ({ sequence } = (await ask({ kind: "rename project", mark, path, body, headers })).answer.details);
      const second = client * 1_000_000 + project * 1000 + change;
      const expirationDate = new Date(Date.UTC(2050, 0, 1) + second * 1000).toISOString();
      await ask({
        kind: "add token",
        mark: expirationDate,
        path: "/gatehouse.v1.UserService/AddPersonalAccessToken",
        body: { userId, expirationDate },
      });
    }
  }
}

const clientsByUrl = new WeakMap<Life, HttpClient>();

/** Returns undefined when no answer came. Throws for a refusal. */
async function send(
  life: Life,
  token: string,
  { job, key }: { readonly job: Job; readonly key: string },
): Promise<Done | undefined> {
  const client = clientsByUrl.get(life) ?? createHttpClient(life.url);
  clientsByUrl.set(life, client);
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "idempotency-key": key,
    ...job.headers,
  };
  const answer = await client
    .send({ method: "POST", path: job.path, headers, body: JSON.stringify(job.body) })
    .catch(() => undefined);
  if (answer === undefined) return undefined;
  if (answer.status !== 200) throw new Error(`${job.kind}, ${key}: ${answer.text}`);
  return {
    kind: job.kind,
    mark: job.mark,
    answer: JSON.parse(answer.text) as Done["answer"], // of one of these three calls
    isReplayed: answer.headers.get("idempotency-replayed") === "true",
  };
}
