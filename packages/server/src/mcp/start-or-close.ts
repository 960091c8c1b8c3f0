/** Starts it; if that fails, closes it first: a local server that already runs would keep the process alive. */
export async function startOrClose<T extends { start(): Promise<void>; close(): Promise<void> }>(
  servers: T,
): Promise<T> {
  try {
    await servers.start();
    return servers;
  } catch (error) {
    await servers.close();
    throw error;
  }
}
