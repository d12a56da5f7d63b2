import { z } from 'zod';
import { textBounds } from './bounds.ts';
import { appRoute, byId, CanonicalInstant, Done, Id, Instant, InstantOrEmpty, type Route } from './define.ts';
import { editors, everyone } from './scopes.ts';

const daysMeaning = '1 Monday to 7 Sunday';
const timeMeaning = 'Wall-clock time in the zone of the slots, such as 09:30';
const accountsMeaning = 'Only for these accounts; empty for all';

const Days = z
  .array(z.int().min(1).max(7))
  .min(1)
  .max(7)
  .refine((days) => new Set(days).size === days.length, 'must name each day once')
  .describe(daysMeaning);
const Time = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of the day, such as 09:30')
  .describe(timeMeaning);
const SlotAccounts = z.array(Id).max(textBounds.accounts).describe(accountsMeaning);
const Zone = z.string().max(100).describe('IANA name, such as Europe/Berlin');

export const Slot = z
  .object({
    id: z.string().describe('Slot id, prefix `slot_`'),
    days: z.array(z.int()).describe(daysMeaning),
    time: z.string().describe(timeMeaning),
    accountIds: z.array(z.string()).describe(accountsMeaning),
  })
  .meta({ id: 'Slot', description: 'A time of the week at which posts go out' });
export type Slot = z.output<typeof Slot>;

export const Slots = z
  .object({
    timeZone: z.string().describe('IANA name; empty until the first slot is added'),
    slots: z.array(Slot).describe('By time'),
  })
  .meta({ id: 'Slots', description: 'The slots of a workspace' });
export type Slots = z.output<typeof Slots>;

const NewSlot = z.strictObject({ days: Days, time: Time, accountIds: SlotAccounts.default([]) });
export type NewSlot = z.output<typeof NewSlot>;

const PostAccounts = z
  .string()
  .max(20_000)
  .default('')
  .describe('Accounts the post goes to, ids separated by commas; empty when they are not known yet');

export const slotRoutes = {
  listSlots: appRoute({
    method: 'GET',
    path: '/api/app/slots',
    tag: 'Slots',
    summary: 'List the slots',
    description: 'The weekly times of the workspace, in one zone.',
    roles: everyone,
    answer: Slots,
  }),

  addSlots: appRoute({
    method: 'POST',
    path: '/api/app/slots',
    tag: 'Slots',
    summary: 'Add slots',
    description: 'A time on one or more days of the week, for all accounts or for some.',
    roles: editors,
    body: z.strictObject({
      timeZone: Zone.default('').describe('Zone of all slots; empty keeps it, and is UTC for the first ones'),
      slots: z.array(NewSlot).min(1).max(20).describe('Those to add to what is there'),
    }),
    idempotent: true,
    answer: Slots,
    more: ['Conflict'],
  }),

  changeSlotZone: appRoute({
    method: 'PATCH',
    path: '/api/app/slots',
    tag: 'Slots',
    summary: 'Change the zone of the slots',
    description: 'Their wall-clock times stay. Scheduled posts keep their instant.',
    roles: editors,
    body: z.strictObject({ timeZone: Zone.min(1) }),
    answer: Slots,
  }),

  changeSlot: appRoute({
    method: 'PATCH',
    path: '/api/app/slots/:id',
    tag: 'Slots',
    summary: 'Change a slot',
    description: 'Fields left out stay as they are. Scheduled posts keep their instant.',
    roles: editors,
    params: byId('Slot id'),
    body: z.strictObject({ days: Days.optional(), time: Time.optional(), accountIds: SlotAccounts.optional() }),
    answer: Slots,
    more: ['NotFound'],
  }),

  deleteSlot: appRoute({
    method: 'DELETE',
    path: '/api/app/slots/:id',
    tag: 'Slots',
    summary: 'Delete a slot',
    description: 'Scheduled posts keep their instant.',
    roles: editors,
    params: byId('Slot id'),
    answer: Done,
    more: ['NotFound'],
  }),

  listFreeSlots: appRoute({
    method: 'GET',
    path: '/api/app/free-slots',
    tag: 'Slots',
    summary: 'List free slots',
    description: 'The slots of a range that have not passed and are not taken.',
    roles: everyone,
    query: z.strictObject({
      from: Instant.describe('Start of the range, inclusive'),
      to: Instant.describe('End of the range, exclusive; at most 62 days after from'),
      accountIds: PostAccounts,
    }),
    answer: z.object({ slots: z.array(z.object({ at: CanonicalInstant })).describe('The earliest first') }),
  }),

  findNextFreeSlot: appRoute({
    method: 'GET',
    path: '/api/app/free-slots/next',
    tag: 'Slots',
    summary: 'Find the next free slot',
    description:
      'The first slot within a year at which no post is scheduled. A slot for some accounts is free while nothing is scheduled for the accounts of this post. Nothing is reserved: schedule the post at that time.',
    roles: everyone,
    query: z.strictObject({
      accountIds: PostAccounts,
      after: InstantOrEmpty.default('').describe('Only after this instant; empty means from now on'),
    }),
    answer: z.object({
      at: z.string().optional().describe('ISO-8601 instant; absent when there is no slot for these accounts'),
    }),
  }),
} as const satisfies Record<string, Route>;
export type SlotRoutes = typeof slotRoutes;
