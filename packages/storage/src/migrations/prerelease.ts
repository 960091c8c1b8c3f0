/** The first migration of both engines before the first release. Its tables cannot be migrated. */
export const PRERELEASE_MIGRATION = '001-first';
