import { defineTexts } from "../../../texts/language.ts";

/** The texts of what ends soon. */
export const endsTexts = defineTexts(
  {
    title: "Ends within 30 days",
    nothing: "Nothing.",
    more: "There is more: the lists of grants and memberships have all of it.",
    userGrant: (project: string) => `roles of ${project}`,
    groupGrant: (project: string) => `roles of ${project} for a group`,
    projectGrant: "granted project",
    membership: (roles: string) => `membership: ${roles}`,
    ends: (date: string) => `ends on ${date}`,
  },
  {
    title: "Endet in den nächsten 30 Tagen",
    nothing: "Nichts.",
    more: "Es gibt mehr: Alles steht in den Listen der Zuweisungen und Mitgliedschaften.",
    userGrant: (project) => `Rollen von ${project}`,
    groupGrant: (project) => `Rollen von ${project} für eine Gruppe`,
    projectGrant: "freigegebenes Projekt",
    membership: (roles) => `Mitgliedschaft: ${roles}`,
    ends: (date) => `endet am ${date}`,
  },
);
