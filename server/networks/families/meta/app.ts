import { z } from 'zod';
import type { ApiVersion, CredentialsTried, Site } from '#server/networks/network';
import { graphVersion, wordsOf } from './graph.ts';

/** The end dates that Meta has announced. The newest version has none yet. */
const ends: Readonly<Record<string, string>> = {
  'v20.0': '2026-09-24',
  'v21.0': '2027-01-21',
  'v22.0': '2027-05-20',
  'v23.0': '2027-10-08',
  'v24.0': '2028-02-18',
  'v25.0': '2028-07-29',
};

export const graphApi = (site: Pick<Site, 'setting'>): ApiVersion => {
  const version = graphVersion(site);
  const setting = 'META_GRAPH_VERSION';
  if (!/^v\d{1,3}\.\d$/.test(version)) return { version, setting, expected: 'a version such as v25.0' };
  // Versions before v20.0 ended even earlier, so they get its end date.
  const endsOn = Number(version.slice(1)) < 20 ? ends['v20.0'] : ends[version];
  return { version, ...(endsOn && { endsOn }), setting };
};

/** Asks for a token for the app itself. */
export const tryAppToken = async (site: Site, url: string): Promise<CredentialsTried> => {
  const { clientId, clientSecret } = site.registration;
  const query = { client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' };
  const answer = await site.request({ url, query });
  if (z.object({ access_token: z.string() }).safeParse(answer.json).success) return { is: 'accepted' };
  const said = wordsOf(answer);
  return { is: answer.status < 500 && /validating (application|client)/i.test(said) ? 'refused' : 'unclear', said };
};

export const advancedAccess =
  'Advanced Access to these permissions, after review: until then only people with a role in the app can connect';
