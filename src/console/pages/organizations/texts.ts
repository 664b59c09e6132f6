import { defineTexts } from "../../texts/language.ts";

/** The texts of the pages of organizations. */
export const organizationTexts = defineTexts(
  {
    title: "Organizations",
    lead: "Each organization holds its own users, projects and identity providers.",
    name: "Name",
    nameHint: "Unique in this installation.",
    state: "State",
    add: "Add organization",
    added: (name: string) => `${name} was added.`,
    emptyTitle: "No organizations yet",
    emptyText: "Add one for each company or team that looks after its own users.",
    saved: "The organization was saved.",
    deactivate: "Deactivate",
    deactivateTitle: (name: string) => `Deactivate ${name}?`,
    deactivateText:
      "None of its users can sign in or use their tokens until it is reactivated. Nothing is lost.",
    deactivated: (name: string) => `${name} was deactivated.`,
    reactivate: "Reactivate",
    reactivated: (name: string) => `${name} is active again.`,
    inactiveLead: "This organization is inactive: none of its users can sign in.",
    remove: "Remove organization",
  },
  {
    title: "Organisationen",
    lead: "Jede Organisation hat ihre eigenen Benutzer, Projekte und Identitätsanbieter.",
    name: "Name",
    nameHint: "Einmalig in dieser Installation.",
    state: "Zustand",
    add: "Organisation hinzufügen",
    added: (name) => `${name} wurde hinzugefügt.`,
    emptyTitle: "Noch keine Organisationen",
    emptyText: "Fügen Sie eine für jede Firma oder jedes Team hinzu, das seine Benutzer selbst verwaltet.",
    saved: "Die Organisation wurde gespeichert.",
    deactivate: "Deaktivieren",
    deactivateTitle: (name) => `${name} deaktivieren?`,
    deactivateText:
      "Bis sie wieder aktiv ist, kann sich niemand aus ihr anmelden, und Tokens gelten nicht. Nichts geht verloren.",
    deactivated: (name) => `${name} wurde deaktiviert.`,
    reactivate: "Reaktivieren",
    reactivated: (name) => `${name} ist wieder aktiv.`,
    inactiveLead: "Diese Organisation ist inaktiv: Niemand aus ihr kann sich anmelden.",
    remove: "Organisation entfernen",
  },
);
