import type { NetworkApp } from '#server/networks/network';
import { scopes } from './connect.ts';

export const app: NetworkApp = { scopes, needs: [], api: () => ({ version: 'v1, v2 for media' }) };
