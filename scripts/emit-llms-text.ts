import { type DeclaredAction, toolName } from './contracts.ts';

/**
 * openapi/llms.txt: the starting point for a model or its developer. The service inserts its own URL when serving it.
 */
export const emitLlmsText = (declared: readonly DeclaredAction[]) => {
  const tools = declared.filter(({ action }) => action.mcp === 'Listed');
  return {
    'openapi/llms.txt': [
      '# Posthorn',
      '',
      '> A self-hosted service that keeps, schedules and publishes posts to social networks. Agents read and draft; a human approves what becomes public or is deleted.',
      '',
      'Every operation is an action with one JSON input and output, over MCP and REST alike. What needs approval becomes an approval request over MCP (`pending_approval` with an `approvalUrl`) and is refused over REST with `ApprovalRequired`. Errors are `{code, message, issues}`. Times are ISO-8601 instants with a zone.',
      '',
      '## Doors',
      '',
      '- [MCP]({base_url}/mcp): Streamable HTTP, protocol 2026-07-28, 2025-11-25, 2025-06-18 and 2025-03-26. Sign in with OAuth (client metadata document or dynamic registration), or send a personal token as bearer.',
      '- [REST]({base_url}/api/agent/tools): `POST /api/agent/tools/{action}` with a personal token as bearer; GET lists all actions with their schemas.',
      '- [OpenAPI]({base_url}/openapi.json): every path that a token reaches, with schemas and errors.',
      '- [Reference]({base_url}/docs): the same for people.',
      '- [Where MCP clients get tokens]({base_url}/.well-known/oauth-protected-resource/mcp): RFC 9728.',
      '',
      '## Order of work',
      '',
      '1. Read: accounts_list, providers_limits with the networks of these accounts, posts_list with query and view summary.',
      '2. Draft: posts_create or posts_update. 3. Check: posts_validate. 4. Ask: posts_schedule or posts_publishNow, and give the user the approvalUrl. 5. Follow up: posts_get; never repeat a call that waits.',
      '',
      '## Tools',
      '',
      ...tools.map(({ name, action }) => `- ${toolName(name)}: ${action.summary}${note(action.kind)}`),
      '',
      '## Optional',
      '',
      '- posts_metrics and analytics_summary are offered once an owner has switched them on under API and MCP.',
      '- Media: a `media` list takes ids and https:// addresses. For a local file media_list names an address that takes one file without a token; with a personal token, `POST /api/media` takes any number.',
      '',
    ].join('\n'),
  };
};

const note = (kind: DeclaredAction['action']['kind']) => (kind === 'NeedsApproval' ? ' (a human approves it)' : '');
