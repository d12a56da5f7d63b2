import { z } from 'zod';
import type { NetworkApp } from '#server/networks/network';
import { permission } from '#server/networks/shared/permissions';
import { scopes } from './connect.ts';

const Answer = z.object({
  access_token: z.string().optional(),
  error: z.string().optional(),
  error_description: z.string().optional(),
});

export const app: NetworkApp = {
  scopes,
  permissions: {
    'user.info.basic': permission.profile,
    'video.publish': permission.publish,
    'video.upload': ['Send drafts to your phone', 'You finish them in the app of TikTok.'],
    'video.list': ['Read your videos and their numbers', 'To show results and to check that a post is there.'],
  },
  needs: [
    'the products "Login Kit" and "Content Posting API", with "Direct Post" switched on',
    'under "URL properties" the domain of BASE_URL, for photos',
    'the audit of the Content Posting API: until then posts are visible only to their author',
  ],
  fetches: 'Photos',
  api: () => ({ version: 'v2' }),
  /** A token for the app itself. */
  tryCredentials: async (site) => {
    const { clientId, clientSecret } = site.registration;
    const answer = await site.request({
      url: `${site.host('api')}/v2/oauth/token/`,
      form: { client_key: clientId, client_secret: clientSecret, grant_type: 'client_credentials' },
    });
    const fields = Answer.safeParse(answer.json).data ?? {};
    if (fields.access_token) return { is: 'accepted' };
    const said = fields.error_description ?? fields.error ?? `HTTP ${answer.status}`;
    return { is: fields.error === 'invalid_client' || answer.status === 401 ? 'refused' : 'unclear', said };
  },
};
