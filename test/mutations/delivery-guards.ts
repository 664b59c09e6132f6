import type { Guard } from "./guards.ts";

const ofQueue = "test/identity/people/messages/delivery-queue.test.ts";
const ofFailures = "test/identity/people/messages/failed-delivery.test.ts";
const queue = "src/identity/people/messages/delivery-queue.ts";
const commands = "src/identity/people/messages/commands.ts";

/** What keeps a provider of messages that hangs from filling the memory, its queue from telling who exists, and a failure from the user. */
export const deliveryGuards: readonly Guard[] = [
  {
    name: "deliveries: so many run at once",
    file: queue,
    changes: [["if (running.size < maxRunning) begin(work);", "if (running.size < 1e9) begin(work);"]],
    in: ofQueue,
    test: "runs 20 deliveries",
  },
  {
    name: "deliveries: so many wait",
    file: queue,
    changes: [["waiting.length >= maxWaiting", "waiting.length >= 1e9"]],
    in: ofQueue,
    test: "runs 20 deliveries",
  },
  {
    name: "deliveries: a call is refused before anything is stored",
    file: commands,
    changes: [["  queue.requireRoom();\n", ""]],
    in: ofQueue,
    test: "before anything is stored",
  },
  {
    name: "deliveries: a full queue says nothing of who exists",
    file: "src/identity/people/passwords/reset-request.ts",
    changes: [["  mailer.requireRoom();\n", ""]],
    in: ofQueue,
    test: "for everybody alike",
  },
  {
    name: "deliveries: a failure is recorded in the write that lifts the pause",
    file: commands,
    changes: [["purpose })]);", "purpose })]).catch(() => 0);"]],
    in: ofFailures,
    test: "without the event, the pause stays",
  },
  {
    name: "deliveries: nothing is recorded of a user who is gone",
    file: commands,
    changes: [["await findUserById(tx, user.id)", "user"]],
    in: ofFailures,
    test: "gone by then",
  },
  {
    name: "deliveries: a failure says what it was for, and nothing else",
    file: commands,
    changes: [
      [
        "failDelivery(found, { channel, purpose })",
        "failDelivery(found, { channel, purpose: message.address })",
      ],
    ],
    in: ofFailures,
    test: "and nothing else",
  },
  {
    name: "deliveries: a failure does not change the user",
    file: "src/identity/people/user/repository.ts",
    changes: [
      [
        '  "user.unlocked": stateApplier("ACTIVE"),\n',
        '  "user.unlocked": stateApplier("ACTIVE"),\n  "user.email.delivery.failed": stateApplier("ACTIVE"),\n',
      ],
    ],
    in: ofFailures,
    test: "if-match still holds",
  },
];
