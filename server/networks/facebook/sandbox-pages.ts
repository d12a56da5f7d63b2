import type { Request, Response } from 'express';
import { notThere, refusalsOf, refuse, signedInAs } from '#server/networks/families/meta/sandbox';
import type { Json } from '#server/networks/network';
import type { SandboxGrant, SandboxKit, SandboxPerson, SandboxPost } from '#server/networks/sandbox';

export const refusals = refusalsOf({
  limit: { code: 80001, type: 'pages', message: 'There have been too many calls to this Page account.' },
  permission: { code: 200, message: '(#200) The permission(s) needed are not available.' },
  content: {
    code: 368,
    subcode: 1346003,
    message: 'The action attempted has been deemed abusive or is otherwise disallowed',
  },
  media: { code: 324, subcode: 2069019, message: '(#324) Missing or invalid image file' },
});

export interface Page {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly likes: number;
}

/** Everybody has two Pages: one of their own, and one that belongs to their business. */
export const pagesOf = ({ id, handle, name }: SandboxPerson): { own: Page; ofBusiness: Page } => {
  const likes = handle.includes('small') ? 40 : 1_200;
  return {
    own: { id: `1${id}01`, name: `${name} Bakery`, username: `${handle}.bakery`, likes },
    ofBusiness: { id: `1${id}02`, name: `${name} Cafe`, username: `${handle}.cafe`, likes },
  };
};

export const businessOf = ({ id }: SandboxPerson) => `9${id}`;

/** The Page that a token is for. */
export const pageOf = ({ data }: SandboxGrant) => data as unknown as Page;

type PageWork = (req: Request, res: Response, page: Page, person: SandboxPerson) => Promise<unknown>;

export type Pages = ReturnType<typeof createPages>;

export const createPages = (kit: SandboxKit) => {
  const asPage = signedInAs(kit, refusals, 'page');

  /** A call that is about the Page itself. */
  const ofPage = (scope: string, work: PageWork) =>
    asPage(scope, async (req, res, grant) => {
      const page = pageOf(grant);
      if (req.params.id !== page.id) return refuse(res, notThere);
      await work(req, res, page, grant.person);
    });

  const add = async (
    page: Page,
    post: Pick<SandboxPost, 'id' | 'text' | 'media' | 'replyTo'> & { data: Record<string, Json> },
  ) => {
    await kit.posts.add({ ...post, author: page.id, authorName: page.name, createdAt: kit.now().toISOString() });
    return post.id;
  };

  return { asPage, ofPage, add };
};
