-- Apart from the columns of migration 38, so that tokens are checked meanwhile: an altered table is locked until its migration ends.
--
-- Ends what came of logins that would show a page today: in an application of another organization, unless a grant of the user's own
-- organization connects them with its project.
UPDATE authorizations SET is_ended = 1
FROM stored_applications a JOIN stored_projects p ON p.id = a.project_id
WHERE is_ended = 0 AND a.id = application_id AND p.resource_owner <> authorizations.resource_owner
  AND NOT EXISTS (
    SELECT 1 FROM stored_user_grants g
      JOIN stored_organizations home ON home.id = g.resource_owner
      LEFT JOIN stored_project_grants pg ON pg.id = g.project_grant_id
    WHERE g.project_id = a.project_id AND g.user_id = authorizations.user_id
      AND g.resource_owner = authorizations.resource_owner AND g.state = 'ACTIVE' AND home.state = 'ACTIVE'
      AND g.role_keys <> '[]' AND (g.project_grant_id = '' OR pg.state = 'ACTIVE'));

-- And for projects besides that of the application: those of its organization, and those granted to it where the user is of it, too.
-- Other projects are only taken out, when a token is made or used.
UPDATE authorizations SET is_ended = 1
FROM stored_applications a JOIN stored_projects p ON p.id = a.project_id
WHERE is_ended = 0 AND a.id = application_id AND scope LIKE '%urn:zitadel:iam:org:project:id:%:aud%' AND EXISTS (
    SELECT 1 FROM unnest(string_to_array(scope, ' ')) AS s (value)
      JOIN stored_projects x ON x.id = substr(s.value, 32, length(s.value) - 35)
    WHERE s.value LIKE 'urn:zitadel:iam:org:project:id:%:aud' AND x.id <> p.id AND (x.resource_owner = p.resource_owner
      OR (authorizations.resource_owner = p.resource_owner AND EXISTS (
        SELECT 1 FROM stored_project_grants pg
        WHERE pg.project_id = x.id AND pg.granted_organization_id = p.resource_owner AND pg.state = 'ACTIVE'))));
