/** One result of `toolyard doctor`. */
export type Finding = {
  /** `ok`, worth knowing, or to be fixed. */
  level: 'ok' | 'info' | 'wrong';
  subject: string;
  text: string;
  hint?: string;
};
