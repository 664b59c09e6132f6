import { defineTexts } from "../../../texts/language.ts";

/** The texts of what is done with several users at once. */
export const bulkTexts = defineTexts(
  {
    users: (count: string) => (count === "1" ? "1 user" : `${count} users`),
    leftOut: (users: string) => `${users} of the selection stay as they are, because of their state.`,
    refused: "Nobody was changed.",
    refusedFor: (name: string) => `Nobody is changed, because of ${name}.`,
    lock: {
      action: "Lock",
      title: (users: string) => `Lock ${users}?`,
      text: "They cannot sign in or use tokens until unlocked. Nothing is lost.",
      done: (users: string) => `Locked: ${users}.`,
      nobody: "None of them can be locked",
    },
    unlock: {
      action: "Unlock",
      title: (users: string) => `Unlock ${users}?`,
      text: "They can sign in and use their tokens again.",
      done: (users: string) => `Unlocked: ${users}.`,
      nobody: "None of them is locked",
    },
    deactivate: {
      action: "Deactivate",
      title: (users: string) => `Deactivate ${users}?`,
      text: "They cannot sign in or use tokens until reactivated. Nothing is lost.",
      done: (users: string) => `Deactivated: ${users}.`,
      nobody: "None of them can be deactivated",
    },
    reactivate: {
      action: "Reactivate",
      title: (users: string) => `Reactivate ${users}?`,
      text: "They can sign in and use their tokens again.",
      done: (users: string) => `Reactivated: ${users}.`,
      nobody: "None of them is inactive",
    },
  },
  {
    users: (count) => `${count} Benutzer`,
    leftOut: (users) => `${users} der Auswahl bleiben wegen ihres Zustands, wie sie sind.`,
    refused: "Niemand wurde geändert.",
    refusedFor: (name) => `Niemand wird geändert, und zwar wegen ${name}.`,
    lock: {
      action: "Sperren",
      title: (users) => `${users} sperren?`,
      text: "Bis zur Entsperrung sind keine Anmeldung und keine Tokens möglich. Nichts geht verloren.",
      done: (users) => `Gesperrt: ${users}.`,
      nobody: "Niemand davon lässt sich sperren",
    },
    unlock: {
      action: "Entsperren",
      title: (users) => `${users} entsperren?`,
      text: "Anmeldung und Tokens sind wieder möglich.",
      done: (users) => `Entsperrt: ${users}.`,
      nobody: "Niemand davon ist gesperrt",
    },
    deactivate: {
      action: "Deaktivieren",
      title: (users) => `${users} deaktivieren?`,
      text: "Bis zur Reaktivierung sind keine Anmeldung und keine Tokens möglich. Nichts geht verloren.",
      done: (users) => `Deaktiviert: ${users}.`,
      nobody: "Niemand davon lässt sich deaktivieren",
    },
    reactivate: {
      action: "Reaktivieren",
      title: (users) => `${users} reaktivieren?`,
      text: "Anmeldung und Tokens sind wieder möglich.",
      done: (users) => `Reaktiviert: ${users}.`,
      nobody: "Niemand davon ist inaktiv",
    },
  },
);
