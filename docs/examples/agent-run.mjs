/**
 * An agent without a model: reads, drafts, validates, asks, waits for the human, verifies. No packages.
 *   POSTHORN_URL=http://localhost:3000 POSTHORN_TOKEN=posthorn_pat_… node docs/examples/agent-run.mjs "The text"
 */
const { POSTHORN_URL = 'http://localhost:3000', POSTHORN_TOKEN, WAIT_SECONDS = '600' } = process.env;
const text = process.argv[2] ?? 'Hello from an agent';
const everyMs = 1000;

let id = 0;
const tool = async (name, args = {}) => {
  const response = await fetch(`${POSTHORN_URL}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${POSTHORN_TOKEN}`,
      'content-type': 'application/json',
      'user-agent': 'agent-run',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method: 'tools/call', params: { name, arguments: args } }),
  });
  const answer = await response.json();
  const { result, error = answer } = answer;
  if (result === undefined) throw new Error(`${name}: ${error.message}`);
  const said = result.content[0].text;
  console.log(`> ${name} ${JSON.stringify(args)}\n${said}\n`);
  if (result.isError) throw new Error(said);
  return { said, ...result.structuredContent };
};

// Read.
const { accounts } = await tool('accounts_list');
const ready = accounts.filter(({ status }) => status === 'Connected');
if (ready.length === 0) throw new Error('No account is connected. providers_list has the addresses to connect one.');
await tool('providers_limits', { networks: [...new Set(ready.map(({ network }) => network))] });
const { summaries } = await tool('posts_list', { query: text, view: 'summary', limit: 5 });

// Draft, unless an earlier run has: whoever is stopped half way begins again without a second post.
const before = summaries.find(({ status }) => status === 'Draft');
const draft = before ?? (await tool('posts_create', { accountIds: ready.map((account) => account.id), body: text }));

// Validate. What is wrong is thrown, with a line for each limit.
await tool('posts_validate', { id: draft.id });

// Ask.
const dayMs = 86_400_000;
const at = new Date(Math.ceil(Date.now() / dayMs + 1) * dayMs).toISOString();
const { approvalUrl } = await tool('posts_schedule', { id: draft.id, at });
console.log(`Please decide at ${approvalUrl}\n`);

// Wait: by reading, never by asking again.
const until = Date.now() + Number(WAIT_SECONDS) * 1000;
let post = await tool('posts_get', { id: draft.id });
while (post.status === 'Draft' && !/rejected|outdated|expired/.test(post.said) && Date.now() < until) {
  await new Promise((resolve) => setTimeout(resolve, everyMs));
  post = await tool('posts_get', { id: draft.id });
}

// Verify.
if (post.status === 'Scheduled') console.log(`Done: ${post.id} goes out at ${post.scheduledAt}.`);
else {
  console.log(`Not scheduled: ${post.said.split('\n\n')[1] ?? post.status}`);
  process.exitCode = 1;
}
