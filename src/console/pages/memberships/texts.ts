import { defineTexts } from "../../texts/language.ts";

/** The texts of the pages of memberships. */
export const membershipTexts = defineTexts(
  {
    title: "Memberships",
    lead: {
      instance: "The administrators of this whole installation and everything in it.",
      organizationId: "The administrators of this organization, its projects and the projects granted to it.",
      projectId: "The administrators of this project only. Roles on the organization apply here, too.",
      projectGrantId:
        "The administrators that may give the roles of this project to users. Roles on the organization apply here, too.",
      group: "What everybody in this group may administer, at most 1,000 users.",
      user: "What this user may administer. Roles within applications are something else: see Roles.",
    },
    user: "User",
    holder: "User or group",
    groupNamed: (name: string) => `Group ${name}`,
    userHint: "Username or email of a user of this organization, or the ID of any user.",
    userMissing: "There is no such user, or you may not see them.",
    userFilter: "Username, email or user ID",
    where: "Where",
    whereFilter: "Memberships",
    onInstance: "On the whole installation",
    roles: "Roles",
    changed: "Changed",
    scope: {
      instance: "The whole installation",
      organizationId: (name: string) => `Organization ${name}`,
      projectId: (name: string) => `Project ${name}`,
      projectGrantId: (name: string) => `Granted project ${name}`,
    },
    add: "Add membership",
    added: (name: string) => `${name} has the membership.`,
    nothingToGive: "You may not give roles on anything here.",
    edit: "Change roles",
    history: "History",
    editOf: (name: string) => `Change roles of ${name}`,
    saved: (name: string) => `The roles of ${name} were saved.`,
    remove: "Remove",
    removeOf: (name: string) => `Remove membership of ${name}`,
    membershipOf: (name: string) => `the membership of ${name}`,
    allowing: (role: string, permission: string) => `${role}, which allows ${permission}`,
    emptyTitle: "No memberships yet",
    emptyText: "Add one for each user that is to administer this.",
    emptyUserText: "This user may administer nothing, except by groups.",
    emptyGroupText: "Nobody administers anything by this group.",
    role: {
      INSTANCE_OWNER: {
        title: "Owner of the installation",
        hint: "May do everything, everywhere.",
      },
      INSTANCE_VIEWER: {
        title: "Viewer of the installation",
        hint: "Reads everything except sessions, and changes nothing.",
      },
      ORGANIZATION_OWNER: {
        title: "Owner",
        hint: "May do everything in the organization.",
      },
      ORGANIZATION_VIEWER: {
        title: "Viewer",
        hint: "Reads everything in the organization except sessions, and changes nothing.",
      },
      ORGANIZATION_USER_MANAGER: {
        title: "Manager of users",
        hint: "Looks after users: their profiles, passwords, factors, sessions and roles.",
      },
      ORGANIZATION_PROJECT_MANAGER: {
        title: "Manager of projects",
        hint: "Looks after projects, applications and project grants, but gives users no roles.",
      },
      PROJECT_OWNER: {
        title: "Owner of the project",
        hint: "May do everything in the project, and give its roles to users.",
      },
      PROJECT_VIEWER: {
        title: "Viewer of the project",
        hint: "Reads everything in the project, and changes nothing.",
      },
      PROJECT_GRANT_OWNER: {
        title: "Owner of the granted project",
        hint: "Gives the granted roles to users, and adds other owners.",
      },
    },
  },
  {
    title: "Mitgliedschaften",
    lead: {
      instance: "Wer diese Installation als Ganzes und alles in ihr verwalten darf.",
      organizationId:
        "Wer diese Organisation, ihre Projekte und die ihr freigegebenen Projekte verwalten darf.",
      projectId: "Wer nur dieses Projekt verwalten darf. Rollen in der Organisation gelten auch hier.",
      projectGrantId:
        "Wer die Rollen dieses Projekts an Benutzer vergeben darf. Rollen in der Organisation gelten auch hier.",
      group: "Was alle in dieser Gruppe verwalten dürfen, höchstens 1.000 Benutzer.",
      user: "Was dieser Benutzer verwalten darf. Rollen in Anwendungen sind etwas anderes: siehe Rollen.",
    },
    user: "Benutzer",
    holder: "Benutzer oder Gruppe",
    groupNamed: (name) => `Gruppe ${name}`,
    userHint: "Benutzername oder E-Mail aus dieser Organisation, oder die ID eines beliebigen Benutzers.",
    userMissing: "Diesen Benutzer gibt es nicht, oder Sie dürfen ihn nicht sehen.",
    userFilter: "Benutzername, E-Mail oder ID",
    where: "Wo",
    whereFilter: "Mitgliedschaften",
    onInstance: "An der ganzen Installation",
    roles: "Rollen",
    changed: "Geändert",
    scope: {
      instance: "Die ganze Installation",
      organizationId: (name) => `Organisation ${name}`,
      projectId: (name) => `Projekt ${name}`,
      projectGrantId: (name) => `Freigegebenes Projekt ${name}`,
    },
    add: "Mitgliedschaft hinzufügen",
    added: (name) => `${name} hat die Mitgliedschaft.`,
    nothingToGive: "Hier gibt es nichts, dessen Verwaltung Sie anderen übertragen dürfen.",
    history: "Verlauf",
    edit: "Rollen ändern",
    editOf: (name) => `Rollen ändern: ${name}`,
    saved: (name) => `Die Rollen von ${name} wurden gespeichert.`,
    remove: "Entfernen",
    removeOf: (name) => `Entfernen: Mitgliedschaft von ${name}`,
    membershipOf: (name) => `Mitgliedschaft von ${name}`,
    allowing: (role, permission) => `${role}, erlaubt ${permission}`,
    emptyTitle: "Noch keine Mitgliedschaften",
    emptyText: "Fügen Sie eine für jede Person hinzu, die sich darum kümmern soll.",
    emptyUserText: "Dieser Benutzer darf nichts verwalten, außer durch Gruppen.",
    emptyGroupText: "Durch diese Gruppe verwaltet niemand etwas.",
    role: {
      INSTANCE_OWNER: {
        title: "Inhaber der Installation",
        hint: "Darf überall alles.",
      },
      INSTANCE_VIEWER: {
        title: "Betrachter der Installation",
        hint: "Liest alles außer Sitzungen und ändert nichts.",
      },
      ORGANIZATION_OWNER: {
        title: "Inhaber",
        hint: "Darf in der Organisation alles.",
      },
      ORGANIZATION_VIEWER: {
        title: "Betrachter",
        hint: "Liest in der Organisation alles außer Sitzungen und ändert nichts.",
      },
      ORGANIZATION_USER_MANAGER: {
        title: "Verwalter der Benutzer",
        hint: "Kümmert sich um Benutzer: Profile, Passwörter, Faktoren, Sitzungen und Rollen.",
      },
      ORGANIZATION_PROJECT_MANAGER: {
        title: "Verwalter der Projekte",
        hint: "Kümmert sich um Projekte, Anwendungen und Freigaben, gibt Benutzern aber keine Rollen.",
      },
      PROJECT_OWNER: {
        title: "Inhaber des Projekts",
        hint: "Darf im Projekt alles und gibt Benutzern seine Rollen.",
      },
      PROJECT_VIEWER: {
        title: "Betrachter des Projekts",
        hint: "Liest im Projekt alles und ändert nichts.",
      },
      PROJECT_GRANT_OWNER: {
        title: "Inhaber des freigegebenen Projekts",
        hint: "Gibt Benutzern die freigegebenen Rollen und fügt weitere Inhaber hinzu.",
      },
    },
  },
);

/** Returns the title of a role; its name, where this version of the console does not know it. */
export function titleOfRole(texts: (typeof membershipTexts)["en"], name: string): string {
  const known: Readonly<Record<string, { readonly title: string } | undefined>> = texts.role;
  return known[name]?.title ?? name;
}
