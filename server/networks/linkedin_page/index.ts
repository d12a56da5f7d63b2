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
import { comments, minutes } from '#server/networks/shared/limits';
import { commentsWithin, itemsAndFirstComment, problems } from '#server/networks/shared/post';
import { app } from './app.ts';
import { connect, lacksComments, profile } from './connect.ts';
import { confirm, prepare, send } from './publish.ts';

const constraints: Constraints = { ...linkedinConstraints, thread: comments };

const firstComment = 'linkedin_page.first_comment';

/** Known from other clients, not from the network's own reference. */
const maxComment = 1_250;

/** Not documented; ten times the usual gateway timeout of 60 s. */
const holdMs = minutes(10);

export default {
  key: 'linkedin_page',
  name: 'LinkedIn Page',
  badge: { code: 'Lp', color: '#35566E' },
  settings: ['LINKEDIN_PAGE_CLIENT_ID', 'LINKEDIN_PAGE_CLIENT_SECRET'],
  app,
  hosts: linkedinHosts,
  paidPerPost: false,
  publishPermissions: ['w_organization_social'],
  constraints,
  options: [
    ...linkedinOptions('linkedin_page'),
    {
      key: firstComment,
      label: 'First comment',
      type: 'Text',
      maxLength: maxComment,
      description: 'A comment that the page writes below its own post right after publishing.',
    },
  ],
  constraintsFor: () => constraints,
  check: (post) => problems([...linkedinFindings('linkedin_page', post), ...commentsWithin(post, maxComment)]),
  surprises: (post, facts) =>
    itemsAndFirstComment(firstComment)(post).length > 1 && lacksComments(facts)
      ? [
          {
            path: 'content',
            code: 'MayBeRefused',
            message:
              'LinkedIn may refuse the comments of this post: the page was connected without the permission for comments. Connect it again.',
          },
        ]
      : [],
  connect,
  refreshAheadMs: minutes(24 * 60),
  refresh,
  signInEnd,
  profile,
  revoke,
  // One person may have connected many pages; whether LinkedIn ends their other tokens too is unconfirmed.
  revokesWholeApp: true,
  parts: itemsAndFirstComment(firstComment),
  prepare,
  send,
  confirm,
  holdMs,
  postsPerRead: 1,
  readMetrics: noStatistics,
} satisfies Network<Prepared>;
