declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- SvelteKit reads its types from here
  namespace App {
    interface Error {
      message: string;
    }
  }
}

export {};
