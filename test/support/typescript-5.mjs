// The compiler that client generators need: TypeScript 7, which we use, has no API for them. Loaded with `node --import`.
import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';

const { resolve } = createRequire(createRequire(import.meta.url).resolve('@arethetypeswrong/core/package.json'));
const hook = `export const resolve = (name, context, next) =>
  next(name === 'typescript' ? ${JSON.stringify(pathToFileURL(resolve('typescript')).href)} : name, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
