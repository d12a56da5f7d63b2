import type { ErrorCode } from '#contracts/errors';
import { mcpPaths } from '#contracts/mcp';
import { type Scope, scopes } from '#contracts/scopes';
import { Refusal } from '#server/base/errors';

/** A refusal with the WWW-Authenticate that tells a client how to get the right token. */
export class Challenge extends Refusal {
  readonly header: string;

  constructor(code: ErrorCode, message: string, header: string) {
    super(code, message);
    this.header = header;
  }
}

export type Authorization = ReturnType<typeof createAuthorization>;

/** What a client learns about tokens (SPEC, MCP bearer tokens). */
export const createAuthorization = ({ baseUrl, authUrl }: { baseUrl: string; authUrl: string }) => {
  const everyScope = Object.keys(scopes);
  const resourceMetadata = `resource_metadata="${baseUrl}${mcpPaths.describeMcp.path}"`;
  const unauthorized = `Bearer realm="Posthorn", ${resourceMetadata}, scope="openid offline_access ${everyScope.join(' ')}"`;

  return {
    /** RFC 9728. */
    metadata: {
      resource: `${baseUrl}${mcpPaths.mcp.path}`,
      authorization_servers: [authUrl],
      scopes_supported: ['openid', ...everyScope],
      bearer_methods_supported: ['header'],
      resource_name: 'Posthorn',
    },

    /** Without a bearer token the challenge says where to get one; `invalid_token` is only for a token that was sent. */
    wrongToken: (authorizationHeader: string | undefined) =>
      bearerScheme.test(authorizationHeader ?? '')
        ? new Challenge(
            'Unauthorized',
            'This token is wrong, expired, revoked or not meant for /mcp.',
            `${unauthorized}, error="invalid_token"`,
          )
        : new Challenge(
            'Unauthorized',
            'Send a personal token or an access token for /mcp: Authorization: Bearer …',
            unauthorized,
          ),

    missingScope: (tool: string, scope: Scope) =>
      new Challenge(
        'Forbidden',
        `${tool} takes a token with the scope ${scope}.`,
        `Bearer error="insufficient_scope", scope="openid offline_access ${scope}", ${resourceMetadata}`,
      ),
  };
};

const bearerScheme = /^bearer(?: |$)/i;
const wellFormed = /^bearer ([\w.~+/-]+=*)$/i;

/** The token in an Authorization header, if that is what the header holds. */
export const bearerOf = (header: string | undefined) => wellFormed.exec(header ?? '')?.[1];
