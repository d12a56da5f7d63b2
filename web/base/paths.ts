const publicPaths = {
  'sign-in': '/sign-in',
  'sign-up': '/sign-up',
  'second-factor': '/second-factor',
  invitation: '/invitations/$token',
  welcome: '/welcome/$secret',
  'forgot-password': '/forgot-password',
  'new-password': '/new-password/$secret',
  review: '/review/$secret',
} as const;

/** Paths of all pages, read by the router, by the server and by the dev server. `$id` stands for one segment. */
export const paths = {
  home: '/',
  posts: '/posts',
  post: '/posts/$id',
  calendar: '/calendar',
  approvals: '/approvals',
  approval: '/approvals/$id',
  analytics: '/analytics',
  media: '/media',
  assistant: '/assistant',
  accounts: '/accounts',
  connect: '/connect/$network',
  'connect-callback': '/connect/$network/callback',
  'connect-choose': '/connect/choose/$id',
  settings: '/settings',
  api: '/settings/api',
  webhooks: '/settings/webhooks',
  webhook: '/settings/webhooks/$id',
  workspace: '/settings/workspace',
  slots: '/settings/slots',
  backups: '/settings/backups',
  networks: '/settings/networks',
  profile: '/settings/profile',
  notifications: '/notifications',
  transfer: '/settings/transfer',
  import: '/settings/transfer/$id',
  sandbox: '/sandbox',
  consent: '/consent/$id',
  ...publicPaths,
} as const;

const createMatcher = (list: Readonly<Record<string, string>>) => {
  const patterns = Object.values(list).map((path) => new RegExp(`^${path.replaceAll(/\$\w+/g, '[^/]+')}/?$`));
  return (path: string) => patterns.some((pattern) => pattern.test(path));
};

export const isPagePath = createMatcher(paths);

/** Whether a page needs no session. */
export const isPublicPath = createMatcher(publicPaths);
