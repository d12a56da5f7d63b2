import type { Router } from 'express';
import { z } from 'zod';
import { dayMs } from '#contracts/time';
import type { Json } from '#server/networks/network';
import type { SandboxKit, SandboxPost } from '#server/networks/sandbox';
import { invalid, refusals, refuse, type SignedIn } from './sandbox-access.ts';
import { hasSection, isBoard, page } from './sandbox-boards.ts';
import { mediaNames, NewPin, refusesMedia, withoutBytes } from './sandbox-new-pin.ts';

/** The picture and its colour cannot be changed. */
const ChangedPin = NewPin.omit({ media_source: true, dominant_color: true }).partial();

const pinOf = (post: SandboxPost) => {
  const { media_source: _, ...pin } = post.data as Record<string, string>;
  // Without a time zone, as Pinterest sends it.
  return { id: post.id, created_at: post.createdAt.slice(0, 19), ...pin };
};

/** Pins are made, listed by board and by section, and counted. */
export const mountPins = (api: Router, kit: SandboxKit, signedIn: SignedIn) => {
  api.post(
    '/v5/pins',
    signedIn(['boards:read', 'boards:write', 'pins:read', 'pins:write'], async (req, res, { person }) => {
      if (person.handle.includes('trial') && !req.baseUrl.endsWith('/trial')) {
        return refuse(
          res,
          403,
          29,
          'Apps with Trial access may not create Pins in production. Use API Sandbox instead.',
        );
      }
      const parsed = NewPin.safeParse(req.body);
      if (!parsed.success) return invalid(res, z.prettifyError(parsed.error));
      const { media_source, ...texts } = parsed.data;
      if (!isBoard(texts.board_id)) return refuse(res, 404, 40, 'Board not found.');
      if (texts.board_section_id && !hasSection(texts.board_id, texts.board_section_id))
        return refuse(res, 404, 2031, 'Board section not found.');
      if (await refusesMedia(kit, res, person.id, media_source)) return;
      const nothing = { board_section_id: null, title: null, description: null, link: null, alt_text: null };
      await kit.commit(req, res, {
        text: texts.description ?? '',
        person,
        refusals,
        make: async () => {
          const post: SandboxPost = {
            id: kit.newId(),
            author: person.id,
            authorName: `@${person.handle}`,
            text: texts.description ?? '',
            media: mediaNames(media_source),
            createdAt: kit.now().toISOString(),
            data: { ...nothing, ...texts, media_source: withoutBytes(media_source) },
          };
          await kit.posts.add(post);
          return post;
        },
        answer: (post) => res.status(201).send(pinOf(post)),
      });
    }),
  );

  api.get(
    '/v5/pins/:id',
    signedIn(['boards:read', 'pins:read'], async (req, res, { person }) => {
      const post = await kit.posts.get(String(req.params.id));
      if (post?.author !== person.id) return refuse(res, 404, 50, 'Pin not found.');
      res.send(pinOf(post));
    }),
  );

  api.patch(
    '/v5/pins/:id',
    signedIn(['boards:read', 'boards:write', 'pins:read', 'pins:write'], async (req, res, { person }) => {
      const post = await kit.posts.get(String(req.params.id));
      if (post?.author !== person.id) return refuse(res, 404, 50, 'Pin not found.');
      const parsed = ChangedPin.safeParse(req.body);
      if (!parsed.success) return invalid(res, z.prettifyError(parsed.error));
      const data = { ...(post.data as Record<string, Json>), ...parsed.data };
      if (!isBoard(data.board_id)) return refuse(res, 404, 40, 'Board not found.');
      if (data.board_section_id && !hasSection(data.board_id, data.board_section_id))
        return refuse(res, 404, 2031, 'Board section not found.');
      const text = String(data.description ?? '');
      await kit.commit(req, res, {
        text,
        person,
        refusals,
        make: () => kit.posts.edit(post, { text, data }),
        answer: (pin) => res.send(pinOf(pin)),
      });
    }),
  );

  api.delete(
    '/v5/pins/:id',
    signedIn(['boards:read', 'boards:write', 'pins:read', 'pins:write'], async (req, res, { person }) => {
      const post = await kit.posts.get(String(req.params.id));
      if (post?.author !== person.id) return refuse(res, 404, 50, 'Pin not found.');
      await kit.posts.remove(post.id);
      res.status(204).end();
    }),
  );

  const pinsOn = async (person: string, board: string, ofSection?: string) =>
    (await kit.posts.of(person, 1000)).filter(({ data }) => {
      const pin = data as { board_id: string; board_section_id: string | null };
      return pin.board_id === board && (ofSection === undefined || pin.board_section_id === ofSection);
    });

  api.get(
    '/v5/boards/:board/pins',
    signedIn(['boards:read', 'pins:read'], async (req, res, { person }) => {
      if (!isBoard(req.params.board)) return refuse(res, 404, 40, 'Board not found.');
      page(req, res, (await pinsOn(person.id, String(req.params.board))).map(pinOf));
    }),
  );

  api.get(
    '/v5/boards/:board/sections/:section/pins',
    signedIn(['boards:read', 'pins:read'], async (req, res, { person }) => {
      const { board, section: one } = req.params;
      if (!hasSection(board, one)) return refuse(res, 404, 2031, 'Board or section not found.');
      page(req, res, (await pinsOn(person.id, String(board), String(one))).map(pinOf));
    }),
  );
};

const metricTypes = ['IMPRESSION', 'OUTBOUND_CLICK', 'PIN_CLICK', 'SAVE', 'SAVE_RATE', 'TOTAL_COMMENTS'];
const date = z.string().regex(/^\d{4}-\d\d-\d\d$/);
const Analytics = z.strictObject({
  start_date: date,
  end_date: date,
  metric_types: z
    .string()
    .transform((list) => list.split(','))
    .refine((list) => list.every((one) => metricTypes.includes(one))),
  app_types: z.enum(['ALL', 'MOBILE', 'TABLET', 'WEB']).default('ALL'),
});

export const mountAnalytics = (api: Router, kit: SandboxKit, signedIn: SignedIn) => {
  api.get(
    '/v5/pins/:id/analytics',
    signedIn(['boards:read', 'pins:read'], async (req, res, { person }) => {
      if (await kit.isFaulty('read', req, res, { person, refusals })) return;
      const parsed = Analytics.safeParse(req.query);
      if (!parsed.success) return invalid(res, `Invalid pins analytics parameters. ${z.prettifyError(parsed.error)}`);
      const { start_date, end_date, metric_types } = parsed.data;
      const today = Date.parse(kit.now().toISOString().slice(0, 10));
      const [start, end] = [Date.parse(start_date), Date.parse(end_date)];
      if (!(start <= end && end <= today) || start < today - 90 * dayMs)
        return invalid(res, 'The dates are in the wrong order, in the future or more than 90 days back.');
      const post = await kit.posts.get(String(req.params.id));
      if (post?.author !== person.id) return refuse(res, 404, 50, 'Pin not found.');
      const { views, saves, clicks } = kit.numbers(post);
      const outbound = Math.floor(clicks / 3);
      const all: Record<string, number> = {
        IMPRESSION: views,
        SAVE: saves,
        PIN_CLICK: clicks - outbound,
        OUTBOUND_CLICK: outbound,
        SAVE_RATE: views === 0 ? 0 : saves / views,
      };
      const metrics = Object.fromEntries(metric_types.flatMap((one) => (one in all ? [[one, all[one]]] : [])));
      const daily = [{ date: end_date, data_status: 'ESTIMATE', metrics }];
      res.send({ all: { daily_metrics: daily, lifetime_metrics: {}, summary_metrics: metrics } });
    }),
  );
};
