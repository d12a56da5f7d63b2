import type { DeclaredAction } from './contracts.ts';

/** An example call of an action in the shell, in TypeScript or in Python. */
interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

export const actionSamples = ({ name, domain, verb, action }: DeclaredAction): CodeSample[] => {
  const input = (action.examples[0]?.input ?? {}) as Record<string, unknown>;
  return [
    { lang: 'Shell', label: 'curl', source: curl(name, input) },
    { lang: 'TypeScript', label: 'posthorn-sdk', source: typescriptCall(domain, verb, input) },
    { lang: 'Python', label: 'posthorn (Python)', source: pythonCall(domain, verb, input) },
  ];
};

const curl = (name: string, input: unknown) =>
  [
    `curl -s "$POSTHORN_URL/api/agent/tools/${name}" \\`,
    '  -H "Authorization: Bearer $POSTHORN_TOKEN" -H "Content-Type: application/json" \\',
    `  -d '${JSON.stringify(input).replaceAll("'", "'\\''")}'`,
  ].join('\n');

export const typescriptCall = (domain: string, verb: string, input: Record<string, unknown>) => {
  const argument = Object.keys(input).length === 0 ? '' : asTypescript(input);
  return `const answer = await posthorn.${domain}.${verb}(${argument});`;
};

const asTypescript = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(asTypescript).join(', ')}]`;
  if (typeof value === 'string') return `'${value.replace(/['\\]/g, '\\$&').replaceAll('\n', '\\n')}'`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([key, inner]) => `${/^\w+$/.test(key) ? key : `'${key}'`}: ${asTypescript(inner)}`,
  );
  return `{ ${fields.join(', ')} }`;
};

const pythonCall = (domain: string, verb: string, input: Record<string, unknown>) => {
  const fields = Object.entries(input).map(([field, value]) => `${snake(field)}=${asPython(value)}`);
  return `answer = posthorn.${domain}.${snake(verb)}(${fields.join(', ')})`;
};

/** accountIds → account_ids. Python keywords get a trailing underscore. */
export const snake = (name: string) => {
  const lower = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return pythonKeywords.has(lower) ? `${lower}_` : lower;
};

const pythonKeywords = new Set([
  'from',
  'import',
  'class',
  'def',
  'global',
  'in',
  'is',
  'lambda',
  'pass',
  'with',
  'yield',
]);

const asPython = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(asPython).join(', ')}]`;
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null) return 'None';
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}: ${asPython(inner)}`)
    .join(', ')}}`;
};

export const uploadSamples = (path: string): CodeSample[] => [
  {
    lang: 'Shell',
    label: 'curl',
    source: [
      `curl -s "$POSTHORN_URL${path}" -H "Authorization: Bearer $POSTHORN_TOKEN" \\`,
      '  -F file=@picture.jpg -F alt="A post horn"',
    ].join('\n'),
  },
  {
    lang: 'TypeScript',
    label: 'posthorn-sdk',
    source:
      "import { openAsBlob } from 'node:fs';\n\nconst item = await posthorn.media.upload(await openAsBlob('picture.jpg'), { alt: 'A post horn' });",
  },
  {
    lang: 'Python',
    label: 'posthorn (Python)',
    source: 'item = posthorn.media.upload("picture.jpg", alt="A post horn")',
  },
];
