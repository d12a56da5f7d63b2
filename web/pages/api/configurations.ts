export type Way = 'sign-in' | 'token';

export interface Configuration {
  /** Value of `?client=`. */
  key: string;
  name: string;
  /** The configuration to paste into the client. */
  text: (address: string, way: Way) => string;
  where: string;
}

/** Expanded by the shell, so that no secret is in a file or in the history. */
const variable = '$POSTHORN_TOKEN';

/** Variables that the client expands itself. */
const inBraces = (name: string) => `\${${name}}`;

const json = (value: unknown) => JSON.stringify(value, null, 2);

const headers = (way: Way, secret: string) =>
  way === 'token' ? { headers: { Authorization: `Bearer ${secret}` } } : {};

export const configurations: readonly Configuration[] = [
  {
    key: 'claude-code',
    name: 'Claude Code',
    where: 'Run this in a terminal.',
    text: (address, way) =>
      way === 'token'
        ? `claude mcp add --transport http posthorn \\\n  ${address} \\\n  --header "Authorization: Bearer ${variable}"`
        : `claude mcp add --transport http posthorn \\\n  ${address}`,
  },
  {
    key: 'cursor',
    name: 'Cursor',
    where: 'Put this into ~/.cursor/mcp.json.',
    text: (address, way) =>
      json({ mcpServers: { posthorn: { url: address, ...headers(way, inBraces('env:POSTHORN_TOKEN')) } } }),
  },
  {
    key: 'vs-code',
    name: 'VS Code',
    where: 'Put this into .vscode/mcp.json.',
    text: (address, way) =>
      json({
        servers: { posthorn: { type: 'http', url: address, ...headers(way, inBraces('input:posthorn-token')) } },
        ...(way === 'token' && {
          inputs: [{ type: 'promptString', id: 'posthorn-token', description: 'Posthorn token', password: true }],
        }),
      }),
  },
  {
    key: 'other',
    name: 'Other',
    where: 'Most clients take this form.',
    text: (address, way) =>
      json({ mcpServers: { posthorn: { type: 'http', url: address, ...headers(way, 'YOUR_TOKEN') } } }),
  },
];
