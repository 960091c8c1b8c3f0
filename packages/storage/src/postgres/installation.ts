import type { Installation } from '../storage.ts';
import type { PostgresConnection } from './connection.ts';

type Row = { salt: string; fingerprint: string | null };

/** The single row with the key derivation of this installation. */
export function createInstallation(connection: PostgresConnection): Installation {
  async function read(): Promise<Row> {
    const { rows } = await connection.query('SELECT salt, key_fingerprint AS fingerprint FROM installation', []);
    return rows[0] as Row;
  }
  return {
    salt: async () => Buffer.from((await read()).salt, 'hex'),
    fingerprint: async () => (await read()).fingerprint,
    async setFingerprint(fingerprint, before) {
      const { rows } = await connection.query(
        `UPDATE installation SET key_fingerprint = $1
         WHERE key_fingerprint IS NOT DISTINCT FROM CAST($2 AS TEXT) RETURNING one`,
        [fingerprint, before],
      );
      return rows.length > 0;
    },
  };
}
