-- The events that give a user or a group rights, or make them a member of a group, by the id of that user or group; and the grants of a
-- project, by the ids of the project and of the organization with a slash between them. By it the past of one user is found in the log.
-- Rows of a removed user go with the user.
CREATE TABLE right_events (
  subject_id TEXT COLLATE "C" NOT NULL,
  sequence BIGINT NOT NULL, -- of the event
  PRIMARY KEY (subject_id, sequence)
);
INSERT INTO right_events (subject_id, sequence)
  SELECT payload::jsonb ->> 'user_id', sequence FROM events
  WHERE type IN ('user_grant.added', 'membership.added')
    AND payload::jsonb ->> 'user_id' IN (SELECT id FROM stored_users);
INSERT INTO right_events (subject_id, sequence)
  SELECT payload::jsonb ->> 'group_id', sequence FROM events
  WHERE type IN ('group_grant.added', 'membership.added') AND payload::jsonb ->> 'group_id' IS NOT NULL;
INSERT INTO right_events (subject_id, sequence)
  SELECT (payload::jsonb ->> 'project_id') || '/' || (payload::jsonb ->> 'granted_organization_id'), sequence FROM events
  WHERE type = 'project_grant.added';
INSERT INTO right_events (subject_id, sequence)
  SELECT DISTINCT m.value, e.sequence FROM events e CROSS JOIN LATERAL jsonb_array_elements_text(e.payload::jsonb -> 'user_ids') AS m (value)
  WHERE e.type IN ('group.member.added', 'group.member.removed') AND m.value IN (SELECT id FROM stored_users);
INSERT INTO right_events (subject_id, sequence)
  SELECT DISTINCT m.value, e.sequence FROM events e CROSS JOIN LATERAL jsonb_array_elements_text(e.payload::jsonb -> 'group_ids') AS m (value)
  WHERE e.type IN ('group.member.added', 'group.member.removed');
