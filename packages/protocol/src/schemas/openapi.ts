import { jsonObject, named } from './common.ts';

export const openApi = named('OpenApi', jsonObject.describe('This document'));
