/** The conversation in which a model created a schedule, and notifications by e-mail. */
export const notifiedSchedules: readonly string[] = [
  'ALTER TABLE schedules ADD COLUMN created_in TEXT',
  `CREATE TABLE email_subscriptions (
    owner_id TEXT NOT NULL PRIMARY KEY,
    events TEXT NOT NULL
  ) STRICT, WITHOUT ROWID`,
  `ALTER TABLE announcements ADD COLUMN channel TEXT NOT NULL DEFAULT 'webhook'`,
];
