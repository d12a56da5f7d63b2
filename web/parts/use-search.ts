import { useNavigate, useRouter, useRouterState } from '@tanstack/react-router';

/**
 * The page's state in its address: `const [search, setSearch] = usePageSearch<'status' | 'q'>()`. Empty values leave the
 * address. A change that goes on from what is there, such as the next week, is a function of it. `replace` for what is typed, so that Back leaves the page.
 */
export const usePageSearch = <Name extends string>() => {
  type Search = Partial<Record<Name, string>>;
  type Change = Partial<Record<Name, string | undefined>>;
  const parsed = (text: string) => Object.fromEntries(new URLSearchParams(text)) as Search;
  const search = parsed(useRouterState({ select: ({ location }) => location.searchStr }));
  const navigate = useNavigate();
  const router = useRouter();
  const set = (change: Change | ((latest: Search) => Change), { replace = false } = {}) => {
    // Where the last step led, which the page may not show yet.
    const latest = parsed(router.latestLocation.searchStr);
    const wanted = typeof change === 'function' ? change(latest) : change;
    const merged = Object.entries<string | undefined>({ ...latest, ...wanted }).filter(([, value]) => value);
    return navigate({ to: '.', search: Object.fromEntries(merged), replace });
  };
  return [search, set] as const;
};
