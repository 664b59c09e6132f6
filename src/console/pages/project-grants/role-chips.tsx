import type { JSX } from "preact";
import { useTexts } from "../../texts/use-texts.ts";
import { projectGrantTexts } from "./texts.ts";

/** The keys of roles, which nobody can change here. */
export function RoleChips({ roles }: { readonly roles: readonly string[] }): JSX.Element {
  const texts = useTexts(projectGrantTexts);
  if (roles.length === 0) return <p class="hint">{texts.noRolesGiven}</p>;
  return (
    <ul class="chips">
      {roles.map((role) => (
        <li key={role}>
          <code>{role}</code>
        </li>
      ))}
    </ul>
  );
}
