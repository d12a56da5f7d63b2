import type { Constraints } from '#contracts/providers';
import type { Network } from '#server/networks/network';
import { comments } from '#server/networks/shared/limits';
import { linkedinConstraints, linkedinFindings, linkedinOptions, littleText } from '#server/networks/shared/linkedin';
import { commentsWithin, problems } from '#server/networks/shared/post';

const constraints: Constraints = { ...linkedinConstraints, thread: comments };

/** Known from other clients, not from the network's own reference. */
const maxComment = 1_250;

export default {
  key: 'linkedin_page',
  name: 'LinkedIn Page',
  settings: ['LINKEDIN_PAGE_CLIENT_ID', 'LINKEDIN_PAGE_CLIENT_SECRET'],
  constraints,
  options: linkedinOptions('linkedin_page'),
  constraintsFor: () => constraints,
  count: (body) => littleText(body).length,
  check: (post) => problems([...linkedinFindings('linkedin_page', post), ...commentsWithin(post, maxComment)]),
} satisfies Network;
