/** One result of `toolyard doctor`. */
export type Finding = {
  /** `wrong`: must be fixed; sets exit code 1. */
  level: 'ok' | 'info' | 'wrong';
  subject: string;
  text: string;
  hint?: string;
};
