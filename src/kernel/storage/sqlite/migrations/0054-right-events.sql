-- The events that give a user or a group rights, or make them a member of a group, by the id of that user or group; and the grants of a
-- project, by the ids of the project and of the organization with a slash between them. By it the past of one user is found in the log.
-- Rows of a removed user go with the user.
CREATE TABLE right_events (
  subject_id TEXT NOT NULL,
  sequence INTEGER NOT NULL, -- of the event
  PRIMARY KEY (subject_id, sequence)
) STRICT, WITHOUT ROWID;
INSERT INTO right_events (subject_id, sequence)
  SELECT json_extract(payload, '$.user_id'), sequence FROM events
  WHERE type IN ('user_grant.added', 'membership.added')
    AND json_extract(payload, '$.user_id') IN (SELECT id FROM stored_users);
INSERT INTO right_events (subject_id, sequence)
  SELECT json_extract(payload, '$.group_id'), sequence FROM events
  WHERE type IN ('group_grant.added', 'membership.added') AND json_extract(payload, '$.group_id') IS NOT NULL;
INSERT INTO right_events (subject_id, sequence)
  SELECT json_extract(payload, '$.project_id') || '/' || json_extract(payload, '$.granted_organization_id'), sequence FROM events
  WHERE type = 'project_grant.added';
INSERT INTO right_events (subject_id, sequence)
  SELECT DISTINCT m.value, e.sequence FROM events e, json_each(e.payload, '$.user_ids') m
  WHERE e.type IN ('group.member.added', 'group.member.removed') AND m.value IN (SELECT id FROM stored_users);
INSERT INTO right_events (subject_id, sequence)
  SELECT DISTINCT m.value, e.sequence FROM events e, json_each(e.payload, '$.group_ids') m
  WHERE e.type IN ('group.member.added', 'group.member.removed');
