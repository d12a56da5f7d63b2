import type { Constraints } from '#contracts/providers';
import { refresh, revoke, signInEnd } from '#server/networks/families/linkedin/connect';
import {
  linkedinConstraints,
  linkedinFindings,
  linkedinHosts,
  linkedinOptions,
  noStatistics,
} from '#server/networks/families/linkedin/limits';
import type { Prepared } from '#server/networks/families/linkedin/publish';
import type { Network } from '#server/networks/network';
import { choices, minutes, noThread } from '#server/networks/shared/limits';
import { itemsOf, problems } from '#server/networks/shared/post';
import { app } from './app.ts';
import { connect, profile } from './connect.ts';
import { confirm, prepare, send } from './publish.ts';

/** Comments need an approval of LinkedIn that a profile's app does not get by itself, so there are no threads. */
const constraints: Constraints = { ...linkedinConstraints, thread: noThread };

/** Not documented; ten times the usual gateway timeout of 60 s. */
const holdMs = minutes(10);

export default {
  key: 'linkedin',
  name: 'LinkedIn',
  badge: { code: 'Ln', color: '#17608F' },
  settings: ['LINKEDIN_CLIENT_ID', 'LINKEDIN_CLIENT_SECRET'],
  app,
  hosts: linkedinHosts,
  paidPerPost: false,
  publishPermissions: ['w_member_social'],
  constraints,
  options: [
    {
      key: 'linkedin.visibility',
      label: 'Who can see it',
      type: 'Choice',
      choices: choices({ PUBLIC: 'Everyone', CONNECTIONS: 'Your connections' }),
      default: 'PUBLIC',
      description: 'Who can see the post.',
    },
    ...linkedinOptions('linkedin'),
  ],
  constraintsFor: () => constraints,
  check: (post) => problems(linkedinFindings('linkedin', post)),
  connect,
  refreshAheadMs: minutes(24 * 60),
  refresh,
  signInEnd,
  profile,
  revoke,
  parts: itemsOf,
  prepare,
  send,
  confirm,
  holdMs,
  postsPerRead: 1,
  readMetrics: noStatistics,
} satisfies Network<Prepared>;
