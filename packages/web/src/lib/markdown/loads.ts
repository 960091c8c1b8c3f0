let loads = 0;

/** Whether something is being loaded with which texts that are rendered now will be rendered again. */
export function isLoading(): boolean {
  return loads > 0;
}

/** Texts are rendered again with what `loading` resolves to. */
export async function during<T>(loading: Promise<T>): Promise<T> {
  loads += 1;
  try {
    return await loading;
  } finally {
    loads -= 1;
  }
}
