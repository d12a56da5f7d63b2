import type { Post } from '#contracts/posts';
import { hourMs, minuteMs } from '#contracts/time';
import { findAction, runNow } from '#server/agents/admission';
import type { Caller } from '#server/base/context';
import { Refusal } from '#server/base/errors';
import type { Posthorn } from '#server/wiring/service';
import { createLocalTime } from './local-time.ts';
import type { ReceivedDelivery } from './receiver.ts';
import { type PlannedPost, recipeBoard, slots } from './texts.ts';

/** A little more than a month, so that the first reads after 30 days are in it. */
export const pastDays = 35;
const futureDays = 14;
const leadMs = 40 * hourMs;

/** An action of a person or agent at a certain time. */
export interface Scene {
  readonly at: Date;
  run(): Promise<unknown>;
}

export interface Cast {
  readonly owner: Caller;
  readonly jonas: Caller;
  readonly ines: Caller;
  /** Agents, with the rights of a token. */
  readonly claude: Caller;
  readonly cursor: Caller;
}

export const webhookHosts = {
  shop: 'hooks.ryeandember.example',
  menu: 'menu.ryeandember.example',
  flows: 'flows.ryeandember.example',
};

/** Most deliveries succeed; some events are never accepted, one only on retry, and one receiver fails for good. */
export const statusFor = ({ host, title, before, earlier }: ReceivedDelivery) => {
  if (host === webhookHosts.menu) return earlier < 3 ? 200 : 500;
  if (host === webhookHosts.shop && title.startsWith(neverAccepted)) return 500;
  if (host === webhookHosts.shop && title.startsWith(freshLoaf)) return 503;
  if (host === webhookHosts.shop && title.startsWith(acceptedOnRetry) && before === 0) return 503;
  return host === webhookHosts.flows ? 204 : 200;
};

const freshLoaf = 'How to keep a loaf fresh';
const neverAccepted = 'Cinnamon or cardamom';
const acceptedOnRetry = 'The day starts at 5';

/** All scenes of the demo, in no order. The story ends at `now`. */
export const writeScenes = ({
  posthorn: { actions, cards, decisions, sandboxes, slots: queue, tokens, webhooks },
  cast,
  accounts,
  media,
  outages,
  now,
  clock,
  timeZone,
}: {
  posthorn: Posthorn;
  cast: Cast;
  /** By network. */
  accounts: ReadonlyMap<string, string>;
  /** By key. */
  media: ReadonlyMap<string, string>;
  /** Networks that are down. */
  outages: Set<string>;
  now: Date;
  clock: { now(): Date };
  timeZone: string;
}): Scene[] => {
  const { owner, jonas, ines, claude, cursor } = cast;
  const scenes: Scene[] = [];
  const scene = (at: Date, run: () => Promise<unknown>) => scenes.push({ at, run });
  const earlier = (ms: number) => new Date(now.getTime() - ms);
  const later = (ms: number) => earlier(-ms);
  const { onDay, weekdayOn, nextWeekday, byDayBefore, byDayAfter } = createLocalTime(now, timeZone);

  const act = async <T = Post>(caller: Caller, name: string, input: object): Promise<T> => {
    const action = findAction(actions, name);
    return (await runNow(action, action.admit(input, caller))).value as T;
  };
  const idOf = (ids: ReadonlyMap<string, string>, key: string) => {
    const id = ids.get(key);
    if (id === undefined) throw new Error(`the demo has no ${key}`);
    return id;
  };
  const accountOf = (network: string) => idOf(accounts, network);

  /** Writes a draft as people do: first the text, then media, options and versions. */
  const write = async (caller: Caller, { to, text, media: files = [], options = {}, instead = {} }: PlannedPost) => {
    const accountIds = to.map(accountOf);
    const post = await act(caller, 'posts.create', { accountIds, body: text[0] ?? '' });
    const pictures = files.map((key) => idOf(media, key));
    if (text.length < 2 && pictures.length + Object.keys({ ...options, ...instead }).length === 0) return post;
    const content = text.map((body, index) => ({ body, media: index === 0 ? pictures : [] }));
    const versions = [
      { content, options },
      ...Object.entries(instead).map(([network, body]) => ({
        accountId: accountOf(network),
        content: [{ body, media: pictures }, ...content.slice(1)],
        options: {},
      })),
    ];
    return act(caller, 'posts.update', { id: post.id, accountIds, versions, baseUpdatedAt: post.updatedAt });
  };

  const authors = [owner, jonas, owner, ines];
  let plannedPosts = 0;
  /** The author writes the post some time before, and schedules it right away. */
  const plan = (at: Date, post: PlannedPost, writtenAt = new Date(at.getTime() - leadMs)) => {
    const author = authors[plannedPosts++ % authors.length] ?? owner;
    const wroteAt = writtenAt < earlier(pastDays * 24 * hourMs) ? earlier(pastDays * 24 * hourMs) : writtenAt;
    scene(wroteAt > now ? earlier(((plannedPosts * 37) % 600) * minuteMs) : wroteAt, async () => {
      const { id } = await write(author, post);
      await act(author, 'posts.schedule', { id, at: at.toISOString() });
    });
  };

  const ask = async (caller: Caller, client: string, action: string, input: { id: string; at?: string }) => {
    const requestId = `req_demo_${clock.now().getTime()}`;
    const { approvalUrl } = await cards.request({ caller, client, action, input, requestId });
    return approvalUrl.split('/').at(-1) ?? '';
  };

  const weeks = () => {
    const turns = new Map<(typeof slots)[number], number>();
    // `lately` plans yesterday and today. The future gets only every second slot.
    const days = [
      ...Array.from({ length: pastDays - 3 }, (_, index) => index - pastDays + 2),
      ...Array.from({ length: futureDays }, (_, index) => index + 1),
    ];
    let future = 0;
    for (const day of days) {
      const weekday = weekdayOn(day);
      for (const slot of slots.filter((one) => one.weekday === weekday)) {
        if (day > 0 && future++ % 2 === 1) continue;
        const turn = turns.get(slot) ?? 0;
        turns.set(slot, turn + 1);
        const [text = '', ...files] = slot.posts[turn % slot.posts.length] ?? [];
        const planned = { to: slot.to, text: [text], media: files, ...(slot.options && { options: slot.options }) };
        plan(onDay(day, slot.time), planned);
      }
    }
  };

  const lately = () => {
    plan(onDay(-1, '08:30'), {
      to: ['instagram', 'threads', 'facebook'],
      text: ['The day starts at 5. So does the oven.\n\nWeekends too.'],
      media: ['rye-loaf'],
    });
    plan(byDayBefore(earlier(5.5 * hourMs)), {
      to: ['instagram', 'facebook', 'threads', 'pinterest'],
      text: ['The buns are back\n\nCardamom, pearl sugar, gone by ten. Tomorrow again.'],
      media: ['cardamom-buns'],
      options: { ...recipeBoard, 'pinterest.title': 'Cardamom buns', 'instagram.first_comment': 'Who is coming by?' },
    });
    plan(byDayAfter(later(4 * hourMs)), {
      to: ['tiktok', 'youtube'],
      text: ['Behind the counter: Jonas and the night shift\n\nFrom ten to five with the man who bakes your bread.'],
      media: ['night-film'],
      options: { 'tiktok.privacy': 'PUBLIC_TO_EVERYONE', 'youtube.title': 'Behind the counter: the night shift' },
    });
    plan(byDayAfter(later(6 * hourMs)), {
      to: ['x', 'bluesky', 'mastodon'],
      text: ['Lunch tomorrow: rye, egg, cress. Until they are gone.'],
      media: ['croissant'],
    });
    plan(onDay(1, '07:30'), {
      to: ['instagram', 'pixelfed'],
      text: [
        'Flour delivery day, the long way\n\nFrom the field to the back door, in nine pictures. Here are the first three.',
      ],
      media: ['flour-delivery', 'rye-loaf', 'oven'],
      options: { 'pixelfed.visibility': 'public' },
    });
  };

  /** One account's token is refused, one network accepts a post but does not answer, and one refuses an image. */
  const troubles = () => {
    const spelt = onDay(-1, '18:00');
    const speltAt = spelt < earlier(3 * hourMs) ? spelt : onDay(-2, '18:00');
    plan(speltAt, {
      to: ['x', 'bluesky', 'mastodon'],
      text: [
        'New on the shelf: seeded spelt. Sunflower, linseed and a long cold night in the fridge. 5.80 for the big one, half loaves from noon.',
      ],
      media: ['seeded-spelt'],
    });
    scene(new Date(speltAt.getTime() - minuteMs), () =>
      sandboxes.planFault('mastodon', 'publish', { fault: 'cut', times: 1 }),
    );
    // After the send, and before Posthorn asks the network whether the post is there.
    scene(new Date(speltAt.getTime() + minuteMs / 2), async () => outages.add('mastodon'));
    scene(new Date(speltAt.getTime() + hourMs), async () => outages.delete('mastodon'));

    const fresh = byDayBefore(earlier(2 * hourMs));
    plan(fresh, {
      to: ['x', 'linkedin_page'],
      text: [
        'How to keep a loaf fresh for a week',
        'Days one and two: cut side down on the board, nothing over it. The crust is its own bag.',
        'Days three to five: in paper, in a drawer. Never in the fridge.',
        'After that: slice, freeze, toast. It is still better than new bread from elsewhere.',
      ],
    });
    scene(new Date(fresh.getTime() - minuteMs), () =>
      sandboxes.planFault('linkedin_page', 'publish', { fault: 'refused-token', times: 1 }),
    );

    const refused = onDay(-11, '15:00');
    plan(refused, {
      to: ['bluesky', 'mastodon'],
      text: ['Cinnamon or cardamom? A photo of both, because we could not choose.'],
      media: ['cardamom-buns'],
    });
    scene(new Date(refused.getTime() - minuteMs), () =>
      sandboxes.planFault('bluesky', 'upload', { fault: 'media-refused', times: 1 }),
    );

    // Scheduled before LinkedIn refused the token, so the forecast says that it will not go out.
    plan(
      onDay(3, '10:00'),
      {
        to: ['linkedin_page', 'x'],
        text: ['We are looking for a second apprentice. Nights, flour, and bread to take home.'],
        media: ['oven'],
      },
      earlier(30 * hourMs),
    );
  };

  const drafts = () => {
    scene(earlier(27 * hourMs), () =>
      write(ines, {
        to: ['google_business'],
        text: ['Opening hours over the holidays\n\n24 December until noon, then closed until the 28th.'],
      }),
    );
    scene(earlier(31 * hourMs), () =>
      write(owner, {
        to: ['instagram', 'facebook'],
        text: ['Gift cards: how they work\n\nAny amount, valid for three years, also for coffee.'],
        media: ['baguettes'],
      }),
    );
    scene(earlier(50 * hourMs), () => write(jonas, { to: [], text: [''] }));
    scene(earlier(20 * hourMs), () =>
      write(claude, {
        to: ['threads', 'x'],
        text: ['Croissant count, this week: 412 baked, 409 sold, 3 eaten by the people who baked them.'],
        media: ['croissant'],
      }),
    );
    scene(earlier(9 * hourMs), () =>
      act(claude, 'posts.create', {
        accountIds: ['x', 'bluesky', 'mastodon'].map(accountOf),
        body: 'The apprentice baked the whole Thursday alone. Nobody noticed, which is the highest praise there is.',
        scheduledAt: onDay(5, '12:00').toISOString(),
      }),
    );
  };

  const requests = () => {
    /** At least two days ahead, so that the day before it is not today. */
    const saturday = nextWeekday(6, 2);
    /** Claude Code asks to schedule a post, and the request is still open. */
    scene(earlier(65 * minuteMs), async () => {
      const { id } = await write(claude, {
        to: ['x', 'threads', 'facebook', 'instagram', 'pinterest', 'bluesky', 'mastodon'],
        text: [
          'Birthday of the starter\n\nOur rye starter turns nine on Saturday. She has raised 41,000 loaves, survived two floods and one very curious dog. The first fifty loaves come with a cardamom bun, warm from 7:30. 🎂',
          'How we keep her happy: 12 °C, equal parts water and rye, fed at five every morning. The whole routine is on our site: ryeandember.example/starter',
        ],
        media: ['starter-jar', 'cardamom-buns', 'shop-front'],
        options: recipeBoard,
        instead: {
          x: 'Nine years, 41,000 loaves, one starter. The first fifty loaves on Saturday come with a warm cardamom bun, from 7:30. 🎂',
        },
      });
      // A pin is one picture and no thread.
      await act(owner, 'posts.update', {
        ...(await forPins(id)),
      });
      await ask(claude, 'Claude Code', 'posts.schedule', { id, at: onDay(saturday - 1, '09:00').toISOString() });
    });
    scene(earlier(41 * minuteMs), async () => {
      const { id } = await write(claude, {
        to: ['google_business', 'facebook'],
        text: ['Saturday we open at 7:30 for the starter’s birthday. Free coffee until noon. Usual hours on Sunday.'],
      });
      await ask(claude, 'Claude Code', 'posts.publishNow', { id });
    });
    scene(earlier(3.2 * hourMs), async () => {
      const { id } = await write(jonas, { to: ['facebook'], text: ['Pumpkin bread, until the pumpkins are gone'] });
      await ask(cursor, 'Cursor', 'posts.delete', { id });
    });

    /** Approved: one is published, another one is scheduled. */
    scene(onDay(-8, '15:40'), async () => {
      const { id } = await write(claude, {
        to: ['x', 'bluesky'],
        text: ['The radio asked what we listen to at four in the morning. Cello, then the weather, then the dough.'],
      });
      const card = await ask(claude, 'Claude Code', 'posts.publishNow', { id });
      scene(onDay(-8, '16:20'), () => decisions.approve(owner, card));
    });
    scene(earlier(22 * hourMs), async () => {
      const { id } = await write(claude, {
        to: ['linkedin', 'x'],
        text: ['We are hiring a second baker. Nights, good bread, no small talk before six. Write to Marta.'],
      });
      const card = await ask(claude, 'Claude Code', 'posts.schedule', { id, at: onDay(1, '17:00').toISOString() });
      scene(earlier(21.5 * hourMs), () => decisions.approve(owner, card));
    });
    scene(onDay(-6, '14:10'), async () => {
      const { id } = await write(claude, {
        to: ['facebook', 'google_business'],
        text: ['The autumn menu is on the board: mushroom tart, pear and rye, soup with a crust.'],
        media: ['window-morning'],
      });
      const card = await ask(claude, 'Menu importer', 'posts.publishNow', { id });
      scene(onDay(-6, '14:35'), () => decisions.approve(jonas, card));
    });

    scene(earlier(29 * hourMs), async () => {
      const { id } = await write(ines, { to: ['google_business'], text: ['Easter hours\n\nOpen until noon.'] });
      const card = await ask(claude, 'Claude Code', 'posts.delete', { id });
      scene(earlier(28.8 * hourMs), () => decisions.reject(jonas, card));
    });

    /** Jonas changes the text before Marta approves, so the card is outdated. */
    scene(onDay(-3, '11:00'), async () => {
      const { id } = await write(claude, {
        to: ['facebook', 'threads'],
        text: ['What “sourdough” means on a label\n\nOnly that somebody typed it. Ask for the hours.'],
      });
      const card = await ask(claude, 'Claude Code', 'posts.publishNow', { id });
      scene(onDay(-3, '11:12'), () =>
        act(jonas, 'posts.setVersionText', {
          id,
          body: 'What “sourdough” means on a label\n\nOnly that somebody wrote it there. Ask for the hours: ours is sixteen.',
        }),
      );
      scene(onDay(-3, '11:30'), () => decisions.approve(owner, card).catch(mustBeConflict));
    });

    /** Nobody decides, so the request expires. */
    scene(onDay(-13, '10:00'), async () => {
      const { id } = await write(cursor, { to: ['bluesky'], text: ['A thread about ovens, maybe.'] });
      await ask(cursor, 'Cursor', 'posts.publishNow', { id });
    });
    scene(onDay(-5, '10:00'), () => cards.expire());

    const forPins = async (id: string) => {
      const post = await act(owner, 'posts.get', { id });
      const [original] = post.versions;
      const [first] = original?.content ?? [];
      return {
        id,
        accountIds: post.accountIds,
        versions: [
          ...post.versions,
          {
            accountId: accountOf('pinterest'),
            content: [{ body: first?.body ?? '', media: first?.media.slice(0, 1) ?? [] }],
            options: { ...recipeBoard, 'pinterest.title': 'A rye starter, nine years old' },
          },
        ],
        baseUpdatedAt: post.updatedAt,
      };
    };
  };

  const receivers = () => {
    const add = (host: string, path: string, events: Parameters<typeof webhooks.add>[1]['events']) =>
      webhooks.add(owner, { url: `https://${host}${path}`, events });
    scene(onDay(-30, '11:00'), async () => {
      const { id } = await add(webhookHosts.shop, '/posthorn', [
        'post.published',
        'post.failed',
        'account.disconnected',
      ]);
      await webhooks.test(owner, id);
      scene(earlier(20.5 * hourMs), () => webhooks.test(owner, id));
    });
    scene(onDay(-20, '16:00'), () => add(webhookHosts.menu, '/in', ['post.published']));
    scene(onDay(-9, '13:00'), async () => {
      const { id } = await add(webhookHosts.flows, '/webhook/rye-and-ember', ['account.disconnected', 'post.failed']);
      await webhooks.test(owner, id);
    });
  };

  /** The queue slots of the workspace, in the same time zone as `onDay`. */
  const weeklySlots = () => {
    const added = slots.map(({ weekday, time }) => ({ days: [weekday || 7], time, accountIds: [] }));
    scene(earlier(pastDays * 24 * hourMs), () => queue.add(owner, { timeZone, slots: added }));
  };

  weeklySlots();
  weeks();
  lately();
  troubles();
  drafts();
  requests();
  receivers();
  scene(earlier(50 * minuteMs), () => tokens.saveLastUsed());
  return scenes;
};

const mustBeConflict = (error: unknown) => {
  if (!(error instanceof Refusal && error.code === 'Conflict')) throw error;
};
