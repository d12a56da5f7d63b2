import { type ZodError, z } from 'zod';
import type { SandboxKit } from '#server/networks/sandbox';

const Day = z.strictObject({ year: z.int(), month: z.int().min(1).max(12), day: z.int().min(1).max(31) });
const Time = z.strictObject({ hours: z.int().min(0).max(24), minutes: z.int().min(0).max(59).default(0) });

const Weekday = z.enum(['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY']);
const series = { seriesEndTime: z.iso.datetime({ offset: true }).optional() };

/** Unknown fields are refused. */
export const NewLocalPost = z.strictObject({
  languageCode: z.string().min(2).optional(),
  summary: z.string().min(1).max(1500),
  topicType: z.enum(['STANDARD', 'EVENT', 'OFFER']),
  callToAction: z
    .strictObject({
      actionType: z.enum(['BOOK', 'ORDER', 'SHOP', 'LEARN_MORE', 'SIGN_UP', 'CALL']),
      url: z.url().optional(),
    })
    .optional(),
  event: z
    .strictObject({
      title: z.string().min(1),
      schedule: z.strictObject({
        startDate: Day,
        startTime: Time.optional(),
        endDate: Day,
        endTime: Time.optional(),
      }),
      recurrenceInfo: z
        .union([
          z.strictObject({ ...series, dailyPattern: z.strictObject({}) }),
          z.strictObject({ ...series, weeklyPattern: z.strictObject({ daysOfWeek: z.array(Weekday).optional() }) }),
          z.strictObject({
            ...series,
            monthlyPattern: z.union([
              z.strictObject({ dayOfMonth: z.int().min(1).max(31) }),
              z.strictObject({ dayOfWeekOccurrence: z.enum(['FIRST', 'SECOND', 'THIRD', 'FOURTH', 'LAST']) }),
            ]),
          }),
        ])
        .optional(),
    })
    .optional(),
  offer: z
    .strictObject({
      couponCode: z.string().optional(),
      redeemOnlineUrl: z.url().optional(),
      termsConditions: z.string().optional(),
    })
    .optional(),
  media: z
    .array(z.strictObject({ mediaFormat: z.literal('PHOTO'), sourceUrl: z.url() }))
    .max(1)
    .optional(),
});
type NewLocalPost = z.output<typeof NewLocalPost>;

export const problemOf = ({ topicType, callToAction, event, offer }: NewLocalPost): [string, string] | undefined => {
  if (callToAction && (callToAction.url === undefined) !== (callToAction.actionType === 'CALL')) {
    return ['call_to_action.url', 'A call has no url, every other action needs one.'];
  }
  if (topicType === 'STANDARD' && event) return ['event', 'Only events and offers have an event.'];
  if (topicType !== 'STANDARD' && !event) return ['event', 'Events and offers need an event.'];
  if (topicType !== 'OFFER' && offer) return ['offer', 'Only offers have an offer.'];
  if (event) {
    const { startDate, startTime, endDate, endTime } = event.schedule;
    if (minuteOf(endDate, endTime) <= minuteOf(startDate, startTime))
      return ['event.schedule', 'It ends before it starts.'];
  }
  return undefined;
};

const minuteOf = ({ year, month, day }: z.output<typeof Day>, time?: z.output<typeof Time>) =>
  Date.UTC(year, month - 1, day, time?.hours ?? 0, time?.minutes ?? 0);

export const issueOf = ({ issues: [issue] }: ZodError): [field: string, message: string] => [
  issue?.path.join('.') ?? '',
  issue?.message ?? 'It is not valid.',
];

/** Undefined when Google can use it. */
export const mediaProblem = async (kit: SandboxKit, sourceUrl: string) => {
  const file = await kit.fetchMedia(sourceUrl);
  if (file === undefined) return 'Failed to fetch the photo from the provided URL.';
  if (!['image/jpeg', 'image/png'].includes(file.mimeType)) return 'The photo is neither JPG nor PNG.';
  return file.bytes.length < 10_240 || file.bytes.length > 5 * 1024 ** 2
    ? 'The photo must have between 10 KB and 5 MB.'
    : undefined;
};
