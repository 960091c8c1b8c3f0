/** Messages between the page and its network worker; `id` is one request or socket. */

export type ToNetwork =
  | { type: 'fetch'; id: number; url: string; method: string; headers: [string, string][]; body: ArrayBuffer | null }
  /** Requests the next chunk of a body. */
  | { type: 'pull'; id: number }
  /** Aborts a request or the reading of its body. */
  | { type: 'abort'; id: number }
  | { type: 'open'; id: number; url: string; protocols: string[] }
  | { type: 'send'; id: number; text: string }
  | { type: 'close'; id: number; code?: number };

export type FromNetwork =
  | {
      type: 'response';
      id: number;
      status: number;
      statusText: string;
      headers: [string, string][];
      url: string;
      hasBody: boolean;
    }
  | { type: 'chunk'; id: number; bytes: Uint8Array<ArrayBuffer> }
  | { type: 'end'; id: number }
  /** A request or its body failed. */
  | { type: 'failed'; id: number; message: string }
  | { type: 'opened'; id: number; protocol: string }
  | { type: 'received'; id: number; data: string | null }
  | { type: 'closed'; id: number; code: number };
