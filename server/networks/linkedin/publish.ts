import { createPublishing, type Prepared } from '#server/networks/families/linkedin/publish';
import { type Confirmation, unknown } from '#server/networks/network';
import { option } from '#server/networks/shared/post';

export const { prepare, send } = createPublishing({
  network: 'linkedin',
  urnOf: ({ id }) => `urn:li:person:${id}`,
  tellsImages: false,
  visibilityOf: (post) => option(post, 'linkedin.visibility') || 'PUBLIC',
});

/** LinkedIn no longer gives new apps the permission to read a member's posts. */
export const confirm = async (): Promise<Confirmation<Prepared>> => unknown;
