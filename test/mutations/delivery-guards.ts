import type { Guard } from "./guards.ts";

const ofQueue = "test/identity/people/messages/delivery-queue.test.ts";
const ofFailures = "test/identity/people/messages/failed-delivery.test.ts";
const commands = "src/identity/people/messages/commands.ts";

/** What keeps a provider of messages that hangs from filling the memory, its queue from telling who exists, and a failure from the user. */
export const deliveryGuards: readonly Guard[] = [
  {
    name: "deliveries: a call is refused before anything is stored",
    file: commands,
    change: ["  queue.requireRoom();\n", ""],
    in: ofQueue,
    test: "before anything is stored",
  },
  {
    name: "deliveries: a full queue says nothing of who exists",
    file: "src/identity/people/passwords/reset-request.ts",
    change: ["  mailer.requireRoom();\n", ""],
    in: ofQueue,
    test: "for everybody alike",
  },
  {
    name: "deliveries: a failure says what it was for, and nothing else",
    file: commands,
    change: [
      "failDelivery(found, { channel, purpose })",
      "failDelivery(found, { channel, purpose: message.address })",
    ],
    in: ofFailures,
    test: "and nothing else",
  },
];
