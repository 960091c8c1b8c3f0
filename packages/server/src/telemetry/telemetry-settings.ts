import { ToolyardError } from '@toolyard/protocol';

/** Where traces go. */
export type TelemetrySettings = {
  /** The whole address, `/v1/traces` and all. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Besides `service.name` and `service.version`. */
  resource: Readonly<Record<string, string>>;
  serviceName: string;
  /** What was said, called and answered goes along; otherwise only names, counts and times do. */
  content: boolean;
};

/** As `config.json` has it; the environment counts before it. */
export type FileTelemetry = { endpoint: string; headers?: Readonly<Record<string, string>>; content?: boolean };

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The settings every OpenTelemetry program takes from its environment; null where nobody asked for traces.
 *
 * @throws ToolyardError `bad_config` for an address that is none
 */
export function readTelemetry(env: Environment, file: FileTelemetry | null): TelemetrySettings | null {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none') return null;
  const given = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  const base = env['OTEL_EXPORTER_OTLP_ENDPOINT'] || file?.endpoint;
  const url = given || (base && `${base.replace(/\/+$/, '')}/v1/traces`);
  if (!url) return null;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new ToolyardError({
      code: 'bad_config',
      message: `Traces cannot be sent to "${url}": this is no address.`,
      hint: 'OTEL_EXPORTER_OTLP_ENDPOINT begins with http:// or https://.',
    });
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

/** `a=b,c=d`, each side percent-encoded. What cannot be read is left out. */
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
