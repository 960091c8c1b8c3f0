import { openApiDocument } from '../../packages/server/src/http/openapi.ts';
import { routes } from '../../packages/protocol/src/schemas/routes/index.ts';
import { code, table } from './table.ts';

type Operation = { summary: string; tags: string[]; deprecated?: true; 'x-scopes'?: string[]; security: unknown[] };

/** All routes of the HTTP API by their tag, from the OpenAPI document. */
export function apiReference(): string {
  const descriptions = Object.entries(routes).map(([key, contract]) => {
    const [method = '', path = ''] = key.split(' ');
    return { ...contract, method, path } as Parameters<typeof openApiDocument>[0][number];
  });
  const { paths } = openApiDocument(descriptions, { tokenRequired: true });
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      route: `${method.toUpperCase()} ${path}`,
      ...(operation as unknown as Operation),
    })),
  );
  const byTag = Object.entries(Object.groupBy(operations, ({ tags: [tag = ''] }) => tag)).toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const sections = byTag.map(([tag, group = []]) => {
    const rows = group.map((each) => [code(each.route), each.summary, formatScope(each)]);
    return `## ${tag}\n\n${table(['route', 'meaning', 'scope'], rows)}`;
  });
  return `# HTTP API

Requests and answers are JSON. A running server has the complete OpenAPI 3.1 document, with the schemas of all bodies, at
\`GET /api/openapi.json\`. Send the access token or an API key as \`Authorization: Bearer ...\`; a request needs one of the scopes
listed ([access](../access.md#api-keys)), "none" needs no credential. Errors are \`application/problem+json\` with \`code\`, \`detail\` and
often \`hint\`. Routes under their former names answer for one more release, with the header \`deprecation\`.

\`createApiClient\` of \`@toolyard/protocol/schemas\` is the typed client that the page and the CLI use.

${sections.join('\n\n')}
`;
}

function formatScope({ 'x-scopes': scopes = [], security }: Operation): string {
  if (scopes.length > 0) return scopes.map(code).join(' or ');
  return security.length === 0 ? 'none' : 'any';
}
