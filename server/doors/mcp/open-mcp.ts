import type { Identity } from '#server/access/auth/identity-provider/identity';
import { type Config, packageVersion } from '#server/base/config/config';
import type { Accounts } from '#server/connecting/accounts/accounts';
import type { Providers } from '#server/connecting/providers/providers';
import type { MediaLibrary } from '#server/media/library';
import type { Reading } from '#server/writing/posts/reading';
import { createMcpEndpoint, type McpParts } from './endpoint.ts';

/** The MCP endpoint, for tokens that `identity` accepts. */
export const openMcp = ({
  identity,
  mcpAccess,
  reading,
  library,
  accounts,
  providers,
  config: { baseUrl },
  ...parts
}: Pick<McpParts, 'actions' | 'tools' | 'runForAgent' | 'rateLimit' | 'log'> & {
  identity: Identity;
  mcpAccess: (identity: Identity) => McpParts['authorize'];
  reading: Pick<Reading, 'findDuplicate'>;
  library: Pick<MediaLibrary, 'readPictures'>;
  accounts: Pick<Accounts, 'list'>;
  providers: Pick<Providers, 'limits'>;
  config: Config;
}) =>
  createMcpEndpoint({
    ...parts,
    baseUrl,
    authUrl: identity.issuer,
    version: packageVersion,
    authorize: mcpAccess(identity),
    findDuplicate: reading.findDuplicate,
    readPictures: library.readPictures,
    readSummaryContext: async (caller) => ({ accounts: await accounts.list(caller), limits: providers.limits() }),
  });
