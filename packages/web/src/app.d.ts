declare global {
  /** The folder of the icons of `BRAND_NAMES`, with a slash at its end. */
  const BRAND_FOLDER: string;

  namespace App {
    interface Error {
      message: string;
    }
  }
}

export {};
