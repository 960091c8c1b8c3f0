/**
 * Words between the processes that share a database: what happened, so that others look at once and not at their next
 * turn. Whatever must not be lost is stored elsewhere.
 */
export type Bulletins = {
  /** To every other process that listens. Throws where the database cannot be reached. */
  tell(body: string): Promise<void>;
  /**
   * Hears what others tell, each word once.
   *
   * @param missed Called where words may have been lost: look at everything.
   */
  listen(heard: (bodies: readonly string[]) => void, missed: () => void): void;
  /** Ends the listening. May be called again. */
  close(): Promise<void>;
};
