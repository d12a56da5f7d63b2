import { graphApi } from '#server/networks/families/meta/app';
import { wordsOf } from '#server/networks/families/meta/graph';
import type { NetworkApp } from '#server/networks/network';
import { madeUpGrant } from '#server/networks/oauth2';
import { permission } from '#server/networks/shared/permissions';
import { scopes } from './connect.ts';

export const app: NetworkApp = {
  scopes,
  permissions: {
    instagram_business_basic: permission.profile,
    instagram_business_content_publish: permission.publish,
    instagram_business_manage_comments: permission.comment,
    instagram_business_manage_insights: permission.numbers,
  },
  needs: [
    'the product "Instagram" with the setup "API with Instagram login"; id and secret are those of the Instagram app there',
    'Advanced Access to these permissions, after review: until then only Instagram testers of the app can connect',
  ],
  api: graphApi,
  /**
   * Instagram has no token for the app itself. It checks the app before the code, and its message says what is wrong.
   */
  tryCredentials: async (site, redirectUri) => {
    const { clientId, clientSecret } = site.registration;
    const answer = await site.request({
      url: `${site.host('login')}/oauth/access_token`,
      multipart: {
        fields: {
          client_id: clientId,
          client_secret: clientSecret,
          grant_type: 'authorization_code',
          redirect_uri: redirectUri,
          code: madeUpGrant,
        },
      },
    });
    const said = wordsOf(answer);
    if (/platform app|client[ _](id|secret)/i.test(said)) return { is: 'refused', said };
    return /code/i.test(said) ? { is: 'accepted' } : { is: 'unclear', said };
  },
};
