import { useNavigate, useRouterState } from '@tanstack/react-router';

/**
 * The page's state in its address: `const [search, setSearch] = usePageSearch<'status' | 'q'>()`. Empty values leave the
 * address. `replace` for what is typed, so that Back leaves the page.
 */
export const usePageSearch = <Name extends string>() => {
  const search = Object.fromEntries(
    new URLSearchParams(useRouterState({ select: ({ location }) => location.searchStr })),
  ) as Partial<Record<Name, string>>;
  const navigate = useNavigate();
  const set = (change: Partial<Record<Name, string | undefined>>, { replace = false } = {}) => {
    const merged = Object.entries<string | undefined>({ ...search, ...change }).filter(([, value]) => value);
    return navigate({ to: '.', search: Object.fromEntries(merged), replace });
  };
  return [search, set] as const;
};
