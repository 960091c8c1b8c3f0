/** Messages between the page and its network worker; `id` is one request or socket. */

export type ToNetwork =
  | { do: 'fetch'; id: number; url: string; method: string; headers: [string, string][]; body: ArrayBuffer | null }
  /** Requests the next chunk of a body. */
  | { do: 'pull'; id: number }
  /** Aborts a request or the reading of its body. */
  | { do: 'abort'; id: number }
  | { do: 'open'; id: number; url: string; protocols: string[] }
  | { do: 'send'; id: number; text: string }
  | { do: 'close'; id: number; code?: number };

export type FromNetwork =
  | {
      is: 'response';
      id: number;
      status: number;
      statusText: string;
      headers: [string, string][];
      url: string;
      hasBody: boolean;
    }
  | { is: 'piece'; id: number; bytes: Uint8Array<ArrayBuffer> }
  | { is: 'end'; id: number }
  /** A request or its body failed. */
  | { is: 'failed'; id: number; message: string }
  | { is: 'opened'; id: number; protocol: string }
  | { is: 'received'; id: number; data: string | null }
  | { is: 'closed'; id: number; code: number };
