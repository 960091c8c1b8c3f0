/** Deviations of a server from Google's own Gemini API. */
export type GeminiQuirks = {
  /** Gemini of Vertex AI: the key is Google Cloud credentials, from which access tokens are made. */
  vertex?: boolean;
};
