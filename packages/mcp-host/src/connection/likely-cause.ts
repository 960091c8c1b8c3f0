import type { TranslatableText } from '@toolyard/protocol';
import { say } from '@toolyard/protocol';
/** Patterns of error output and the advice for each. The first match wins. */
const CAUSES: readonly (readonly [RegExp, TranslatableText])[] = [
  [
    /SELF_SIGNED_CERT|UNABLE_TO_(GET_ISSUER|VERIFY)|unable to verify the first certificate|CERTIFICATE_VERIFY_FAILED|self[- ]signed certificate|UnknownIssuer|unknown authority|local issuer certificate/i,
    say`Likely cause: the program does not trust a certificate, as behind a corporate proxy. Set NODE_EXTRA_CA_CERTS (npx), SSL_CERT_FILE (uvx) or REQUESTS_CA_BUNDLE (pipx) to the certificate file in the environment of Toolyard.`,
  ],
  [
    /\b407\b|proxy authentication required|tunneling socket could not be established|ERR_PROXY|proxyconnect/i,
    say`Likely cause: the proxy rejected the request. Check HTTPS_PROXY; if it needs a password, set it in "env" of the server.`,
  ],
  [
    /cannot connect to the docker daemon|docker daemon is not running|error during connect/i,
    say`Likely cause: Docker is not running, or DOCKER_HOST is missing in "env" of the server.`,
  ],
  [
    /ENOTFOUND|EAI_AGAIN|name resolution|Could not resolve host|dns error|no such host/i,
    say`Likely cause: the name of a download server cannot be resolved. Check the network, and HTTPS_PROXY if there is a proxy.`,
  ],
  [
    /ETIMEDOUT|ECONNREFUSED|ECONNRESET|ENETUNREACH|connection timed out|error sending request/i,
    say`Likely cause: a download server cannot be reached. Check the network, and HTTPS_PROXY if there is a proxy.`,
  ],
  [
    /\bE404\b|404 Not Found|No matching distribution|not found in the package registry|manifest unknown|pull access denied/i,
    say`Likely cause: the package or image does not exist. Check its name and version in the arguments.`,
  ],
  [/ENOSPC|no space left on device/i, say`Likely cause: the disk is full.`],
  [
    /EBADENGINE|Unsupported engine|requires a different Python|requires-python/i,
    say`Likely cause: the server requires another version of Node or Python.`,
  ],
  [
    /EACCES|EROFS|Permission denied|Read-only file system/i,
    say`Likely cause: the program is not permitted to read or write a file it needs.`,
  ],
  [
    /Cannot find module|ModuleNotFoundError|ERR_MODULE_NOT_FOUND/i,
    say`Likely cause: a package that the server imports is missing.`,
  ],
];

/** The likely cause of a failure according to the program's output; undefined if no pattern matches. */
export function likelyCause(stderr: readonly string[]): TranslatableText | undefined {
  const text = stderr.join('\n');
  return CAUSES.find(([pattern]) => pattern.test(text))?.[1];
}
