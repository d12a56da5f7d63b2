import { useNavigate, useRouter, useRouterState } from '@tanstack/react-router';

/**
 * Page state in the address: `const [search, setSearch] = usePageSearch<'status' | 'q'>()`. Empty values are removed.
 * Pass a function for a change relative to the latest state, such as the next week, and `replace` for typed text, so
 * that Back leaves the page.
 */
export const usePageSearch = <Name extends string>() => {
  type Search = Partial<Record<Name, string>>;
  type Change = Partial<Record<Name, string | undefined>>;
  const parse = (text: string) => Object.fromEntries(new URLSearchParams(text)) as Search;
  const search = parse(useRouterState({ select: ({ location }) => location.searchStr }));
  const navigate = useNavigate();
  const router = useRouter();
  const set = (change: Change | ((latest: Search) => Change), { replace = false } = {}) => {
    // The latest navigation, which may not have rendered yet.
    const latest = parse(router.latestLocation.searchStr);
    const values = typeof change === 'function' ? change(latest) : change;
    const merged = Object.entries<string | undefined>({ ...latest, ...values }).filter(([, value]) => value);
    return navigate({ to: '.', search: Object.fromEntries(merged), replace });
  };
  return [search, set] as const;
};
