/** Messages between the page, the outer document of a frame and its content document. */

export type IframeContext = { theme: 'light' | 'dark'; locale: string };

/** What the content document observes. Content could forge all of it: show it as text, and act on none of it. */
export type IframeReport =
  | { kind: 'console'; level: 'debug' | 'log' | 'info' | 'warn' | 'error'; text: string }
  | { kind: 'error'; text: string; line: number | null; stack: string }
  /** The policy blocked a request. */
  | { kind: 'blocked'; url: string; directive: string }
  /** Height of the content in CSS pixels. */
  | { kind: 'size'; height: number }
  /** The user clicked on a link. */
  | { kind: 'link'; url: string };

export type ToOuter =
  | {
      toolyard: 'load';
      html: string;
      /** Query of the content document: its network policy. */
      query: string;
      /** The attribute `allow` of the inner frame. */
      allow: string;
      context: IframeContext;
    }
  /** A message for the content. */
  | { toolyard: 'post'; json: string }
  | { toolyard: 'context'; context: IframeContext };

export type FromOuter =
  | { toolyard: 'ready' }
  /** The HTML was written into the content document. */
  | { toolyard: 'loaded' }
  /** The content navigated itself, and is gone. */
  | { toolyard: 'left' }
  /** The content sent so many messages that it was removed. */
  | { toolyard: 'flood' }
  /** A message was dropped. */
  | { toolyard: 'dropped'; why: 'size' | 'rate' | 'form' }
  /** JSON of a `IframeReport`. */
  | { toolyard: 'report'; json: string }
  /** A message of the content. */
  | { toolyard: 'message'; json: string };

export type ToContent =
  | { toolyard: 'write'; html: string; context: IframeContext }
  | { toolyard: 'context'; context: IframeContext }
  | { toolyard: 'ping' };

export type FromContent =
  | { toolyard: 'ready' }
  | { toolyard: 'written' }
  | { toolyard: 'pong' }
  | { toolyard: 'report'; report: IframeReport };
