import type { FramePolicy, JsonObject, McpAppDocument } from '@toolyard/protocol';
import { isFrameSource } from '@toolyard/protocol';
import type { IframePermission } from '../iframes/iframe-origin.ts';

const PERMISSIONS: Readonly<Record<McpAppDocument['permissions'][number], IframePermission>> = {
  camera: 'camera',
  microphone: 'microphone',
  geolocation: 'geolocation',
  'clipboard-write': 'clipboardWrite',
};

/** What an app declares to need; nothing of it is granted before the user allows it. */
export type AppNeeds = { policy: FramePolicy; permissions: IframePermission[] };

export function toNeeds({ connect, resources, frames, baseUris, permissions }: McpAppDocument): AppNeeds {
  const valid = (sources: readonly string[]) => sources.map((source) => source.toLowerCase()).filter(isFrameSource);
  return {
    policy: { connect: valid(connect), resources: valid(resources), frames: valid(frames), baseUris: valid(baseUris) },
    permissions: permissions.map((each) => PERMISSIONS[each]),
  };
}

/** Hosts and abilities to show to the user; empty if the app needs no more than the default. */
export function needsList({ policy, permissions }: AppNeeds): { hosts: string[]; permissions: IframePermission[] } {
  const sources = [policy.connect, policy.resources, policy.frames, policy.baseUris].flat();
  return { hosts: [...new Set(sources)], permissions };
}

/** What an app gets, as the host tells it: everything it declared, since it is shown only with all of that. */
export function grantedSandbox({ policy, permissions }: AppNeeds): JsonObject {
  return {
    permissions: Object.fromEntries(permissions.map((each) => [each, {}])),
    csp: {
      connectDomains: [...policy.connect],
      resourceDomains: [...policy.resources],
      frameDomains: [...policy.frames],
      baseUriDomains: [...policy.baseUris],
    },
  };
}
