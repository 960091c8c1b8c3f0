/** Byte order, as everywhere: what the language of the machine makes of it is nobody's business. */
const TEXT = 'TEXT COLLATE "C"';

/** What goes along with many requests of a conversation and changes seldom, by a hash of it: instructions, tools. */
export const requestPreludes: readonly string[] = [
  `CREATE TABLE request_preludes (
    conversation_id ${TEXT} NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    id ${TEXT} NOT NULL,
    owner_id ${TEXT} NOT NULL,
    prelude TEXT NOT NULL,
    made_at BIGINT NOT NULL,
    PRIMARY KEY (conversation_id, id)
  )`,
];
