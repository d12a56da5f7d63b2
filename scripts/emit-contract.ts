import type { DeclaredAction, DeclaredRoute } from './contracts.ts';
import { printContract } from './emit-rest.ts';

/**
 * packages/contract/: the ts-rest contract of everything a token can call. Schemas are never printed:
 * scripts/before-pack.mjs copies contracts/ into the package when it is packed.
 */
export const emitContract = (
  actions: readonly DeclaredAction[],
  routes: readonly DeclaredRoute[],
): Record<string, string> => {
  const callable = routes.filter(({ route }) => ['Open', 'PersonalToken', 'SessionOrToken'].includes(route.access));
  return {
    'packages/contract/src/generated/rest.ts': printContract(actions, callable).replaceAll(
      /'#contracts\/([\w-]+)'/g,
      "'../contracts/$1.ts'",
    ),
  };
};
