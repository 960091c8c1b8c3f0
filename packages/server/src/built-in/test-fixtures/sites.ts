import type { ServerResponse } from 'node:http';
import type { RecordingServer } from '@toolyard/testing';
import { startRecordingServer } from '@toolyard/testing';

export type Site = RecordingServer & { url: string };

/** A web site on a real socket; `answer` gets the path with its query. */
export async function startSite(answer: (path: string, response: ServerResponse, body: string) => void): Promise<Site> {
  const server = await startRecordingServer(({ url = '/' }, response, body) => answer(url, response, body));
  return { ...server, url: server.origin };
}

export function send(response: ServerResponse, type: string, body: string | Uint8Array, status = 200): void {
  response.writeHead(status, { 'content-type': type }).end(body);
}

/** A PDF whose pages have these texts. */
export function createPdf(pages: readonly string[]): Uint8Array {
  const kids = pages.map((_, at) => `${10 + 2 * at} 0 R`).join(' ');
  const objects = pages.map((text, at) => {
    const content = `BT /F1 24 Tf 20 100 Td (${text}) Tj ET`;
    const page = 10 + 2 * at;
    return `${page} 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 144]/Contents ${page + 1} 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj
${page + 1} 0 obj<</Length ${content.length}>>stream
${content}
endstream endobj`;
  });
  return new TextEncoder().encode(`%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[${kids}]/Count ${pages.length}>>endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
${objects.join('\n')}
trailer<</Root 1 0 R>>
`);
}
