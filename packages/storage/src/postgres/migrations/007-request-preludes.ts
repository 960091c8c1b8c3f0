/** Byte order, as everywhere: what the language of the machine makes of it is nobody's business. */
const TEXT = 'TEXT COLLATE "C"';

/** What goes along with many requests to models and changes seldom, by a hash of it: notes of servers, tools. */
export const requestPreludes: readonly string[] = [
  `CREATE TABLE request_preludes (
    owner_id ${TEXT} NOT NULL,
    id ${TEXT} NOT NULL,
    prelude TEXT NOT NULL,
    made_at BIGINT NOT NULL,
    PRIMARY KEY (owner_id, id)
  )`,
];
