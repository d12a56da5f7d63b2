import type { Constraints } from '#contracts/providers';
import type { Network } from '#server/networks/network';
import { choices, noThread } from '#server/networks/shared/limits';
import { linkedinConstraints, linkedinFindings, linkedinOptions, littleText } from '#server/networks/shared/linkedin';
import { problems } from '#server/networks/shared/post';

/** Comments need an approval of LinkedIn that a profile's app does not get by itself, so there are no threads. */
const constraints: Constraints = { ...linkedinConstraints, thread: noThread };

export default {
  key: 'linkedin',
  name: 'LinkedIn',
  settings: ['LINKEDIN_CLIENT_ID', 'LINKEDIN_CLIENT_SECRET'],
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
  count: (body) => littleText(body).length,
  check: (post) => problems(linkedinFindings('linkedin', post)),
} satisfies Network;
