import { once } from "node:events";
import { existsSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import type { TestService } from "../../support/service.ts";

/** A mail as the outbox of local mode has it. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
}

/** Returns the last mail to the address, once it is there: mails go out after the page has been answered. */
export async function waitForMail(
  { dataFolder }: Pick<TestService, "dataFolder">,
  to: string,
  about: RegExp,
): Promise<Mail> {
  const find = () => {
    const file = join(dataFolder, "mail.jsonl");
    const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
    const mails = lines.map((line) => JSON.parse(line) as Mail);
    return mails.findLast((mail) => mail.to === to && about.test(mail.subject));
  };
  const changes = watch(dataFolder); // before the first look, so that no mail comes unseen
  try {
    for (let mail = find(); ; mail = find()) {
      if (mail !== undefined) return mail;
      await once(changes, "change");
    }
  } finally {
    changes.close();
  }
}
