import { readFileSync } from 'node:fs';

interface Documents<Operation, Schema> {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, Schema> };
}

/** Every operation of the service: both OpenAPI documents as one. A path may be in both, with different methods. */
export const readDocuments = <Operation, Schema>(): Documents<Operation, Schema> => {
  const [api, app] = ['openapi.json', 'openapi-app.json'].map(
    (file) => JSON.parse(readFileSync(`openapi/${file}`, 'utf8')) as Documents<Operation, Schema>,
  ) as [Documents<Operation, Schema>, Documents<Operation, Schema>];
  const paths = { ...app.paths };
  for (const [path, methods] of Object.entries(api.paths)) paths[path] = { ...paths[path], ...methods };
  return { paths, components: { schemas: { ...app.components.schemas, ...api.components.schemas } } };
};
