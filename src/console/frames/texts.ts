import { defineTexts } from "../texts/language.ts";

/** The texts of the frames. */
export const frameTexts = defineTexts(
  { projects: "Projects", grantedProjects: "Granted projects", users: "Users", groups: "Groups" },
  { projects: "Projekte", grantedProjects: "Freigegebene Projekte", users: "Benutzer", groups: "Gruppen" },
);
