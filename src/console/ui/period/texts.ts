import { defineTexts } from "../../texts/language.ts";

/** The texts of rights that begin and end. */
export const periodTexts = defineTexts(
  {
    start: "In effect from",
    startHint: "Your local time. Empty: at once.",
    end: "Ends",
    endHint: "Your local time. Empty: never. Nothing has to be done when it comes.",
    reversed: "The end must be after the start.",
    later: "Not yet in effect",
    ended: "Ended",
    inUtc: (local: string, utc: string) => `${local} (${utc})`,
  },
  {
    start: "Gilt ab",
    startHint: "Ihre Ortszeit. Leer: sofort.",
    end: "Endet",
    endHint: "Ihre Ortszeit. Leer: nie. Zu diesem Zeitpunkt ist nichts zu tun.",
    reversed: "Das Ende muss nach dem Anfang liegen.",
    later: "Gilt noch nicht",
    ended: "Beendet",
    inUtc: (local, utc) => `${local} (${utc})`,
  },
);
