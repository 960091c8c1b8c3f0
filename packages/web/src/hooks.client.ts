import type { ClientInit } from '@sveltejs/kit';
import { startUp } from '#lib/state/startup.ts';

export const init: ClientInit = () => void startUp();
