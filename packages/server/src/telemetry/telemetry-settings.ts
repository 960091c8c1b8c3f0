import { createConfigError } from '../errors.ts';

/** Where and how traces are sent. */
export type TelemetrySettings = {
  /** The complete URL, including `/v1/traces`. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Besides `service.name` and `service.version`. */
  resource: Readonly<Record<string, string>>;
  serviceName: string;
  /** Includes messages, calls and results; otherwise only names, counts and times are sent. */
  content: boolean;
};

/** Settings in `config.json`; the environment has precedence. */
export type FileTelemetry = { endpoint: string; headers?: Readonly<Record<string, string>>; content?: boolean };

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the standard OpenTelemetry environment variables; null if tracing is not configured.
 *
 * @throws ToolyardError `bad_config` for an invalid URL
 */
export function readTelemetry(env: Environment, file: FileTelemetry | null): TelemetrySettings | null {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none') return null;
  const endpoint = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  const base = env['OTEL_EXPORTER_OTLP_ENDPOINT'] || file?.endpoint;
  const url = endpoint || (base && `${base.replace(/\/+$/, '')}/v1/traces`);
  if (!url) return null;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw createConfigError(
      `Traces cannot be sent to "${url}": it is not an HTTP URL.`,
      'Set OTEL_EXPORTER_OTLP_ENDPOINT to a URL that begins with http:// or https://.',
    );
  }
  const stated = env['OTEL_EXPORTER_OTLP_TRACES_HEADERS'] ?? env['OTEL_EXPORTER_OTLP_HEADERS'];
  const captured = env['OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT'];
  const resource = pairs(env['OTEL_RESOURCE_ATTRIBUTES']);
  return {
    url,
    headers: { ...file?.headers, ...pairs(stated) },
    resource,
    serviceName: env['OTEL_SERVICE_NAME'] || resource['service.name'] || 'toolyard',
    content: captured === undefined ? (file?.content ?? false) : captured.toLowerCase() === 'true',
  };
}

/** Parses `a=b,c=d`, each side percent-encoded. Invalid pairs are ignored. */
function pairs(text: string | undefined): Record<string, string> {
  const found: Record<string, string> = {};
  for (const pair of (text ?? '').split(',')) {
    const [name = '', ...rest] = pair.split('=');
    if (name.trim() === '' || rest.length === 0) continue;
    try {
      found[decodeURIComponent(name.trim())] = decodeURIComponent(rest.join('=').trim());
    } catch {
      continue;
    }
  }
  return found;
}
