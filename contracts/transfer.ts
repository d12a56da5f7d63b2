import { z } from 'zod';
import {
  appRoute,
  byId,
  CanonicalInstant,
  Deleted,
  InstantOrEmpty,
  type RawRoute,
  type Route,
  rawRoute,
} from './define.ts';
import { Post } from './posts.ts';
import { editors, everyone } from './scopes.ts';

export const exportFormats = ['json', 'csv'] as const;
export const exportParts = ['posts', 'results', 'statistics'] as const;

const ExportRange = {
  from: InstantOrEmpty.default('').describe('Only posts whose time is not before this instant; empty for all'),
  to: InstantOrEmpty.default('').describe('Only posts whose time is before this instant; empty for all'),
};

/** A post has the time at which it was published, else its planned or suggested one, else that of its last change. */
export const ExportQuery = z.strictObject({
  format: z.enum(exportFormats).describe('json has all in one file; csv has one table a file'),
  part: z.enum(exportParts).default('posts').describe('Which table; json has all of them'),
  ...ExportRange,
  // The browser sends no header of ours where it saves a file by itself.
  workspace: z.string().max(100).optional().describe('Refused when another workspace is open'),
});
export type ExportQuery = z.output<typeof ExportQuery>;

export const importFormats = ['Posthorn CSV', 'Posthorn JSON', 'Buffer CSV', 'Postiz JSON', 'Mixpost JSON'] as const;
export type ImportFormat = (typeof importFormats)[number];

export const importRowStates = ['Ready', 'Unmatched', 'Duplicate', 'Bad', 'Saved', 'Scheduled'] as const;
export type ImportRowState = (typeof importRowStates)[number];

export const ImportProblem = z
  .object({
    column: z.string().describe('Where in the row'),
    code: z.string().describe('A stable name'),
    message: z.string().describe('What is wrong and what to do'),
    stops: z.boolean().describe('False for a remark that does not keep the row from being saved'),
    blocks: z
      .boolean()
      .optional()
      .describe('True when the row can be saved as a draft, but posts.schedule would refuse it for this reason'),
  })
  .meta({ id: 'ImportProblem', description: 'A remark on a row' });
export type ImportProblem = z.output<typeof ImportProblem>;

export const ImportRow = z
  .object({
    number: z.int().describe('From 1; of a CSV file the line at which the row begins is in `line`'),
    line: z.int().optional().describe('Line of the file at which the row begins; only for CSV'),
    text: z.string().describe('The beginning of its text'),
    items: z.int().describe('How many items it has'),
    media: z.int().describe('How many files it uses; they are fetched when it is saved'),
    accountIds: z.array(z.string()).describe('Connected accounts that it matched'),
    scheduledAt: z.string().optional().describe('Suggested time, an ISO-8601 instant'),
    state: z
      .enum(importRowStates)
      .describe(
        'Ready: can be saved. Unmatched: names accounts that are not connected here. Duplicate: was imported already, or is in the file twice. Bad: cannot be saved. Saved: is a draft. Scheduled: goes out at its time',
      ),
    problems: z.array(ImportProblem).describe('Empty when there is nothing to say'),
    postId: z.string().optional().describe('The draft that it became'),
    failure: z.string().optional().describe('Why the last attempt to save or schedule it failed'),
  })
  .meta({ id: 'ImportRow', description: 'A row of a file, and its outcome' });
export type ImportRow = z.output<typeof ImportRow>;

export const ImportTotals = z
  .object({
    rows: z.int().describe('All rows of the file'),
    ready: z.int().describe('Rows in the state Ready'),
    unmatched: z.int().describe('Rows in the state Unmatched'),
    duplicate: z.int().describe('Rows in the state Duplicate'),
    bad: z.int().describe('Rows in the state Bad'),
    blocked: z
      .int()
      .describe('Rows that can be saved as a draft, but break a limit and cannot be scheduled as they are'),
    saved: z.int().describe('Drafts, and what was scheduled since'),
    scheduled: z.int().describe('Rows in the state Scheduled'),
    schedulable: z.int().describe('Saved drafts with an account whose suggested time is still to come'),
    failed: z.int().describe('Rows whose last attempt to save or schedule failed'),
  })
  .meta({ id: 'ImportTotals', description: 'Row counts by state' });
export type ImportTotals = z.output<typeof ImportTotals>;

export const Import = z
  .object({
    id: z.string().describe('Import id, prefix `imp_`'),
    fileName: z.string().describe('As it was uploaded'),
    format: z.enum(importFormats).describe('Recognised by the columns or fields of the file'),
    timeZone: z.string().describe('For times of the file that have no zone'),
    ignored: z.array(z.string()).describe('Columns that are ignored'),
    totals: ImportTotals,
    createdAt: CanonicalInstant,
  })
  .meta({ id: 'Import', description: 'A file that was read, and the state of its rows' });
export type Import = z.output<typeof Import>;

const fields = {
  timeZone: z.string().min(1).max(100).default('UTC').describe('IANA name, for times of the file that have no zone'),
  accountIds: z
    .string()
    .max(20_000)
    .default('')
    .describe(
      'Accounts of rows that name none; ids separated by commas. For files without accounts, such as those for Buffer',
    ),
};

export const ImportText = z
  .strictObject({
    ...fields,
    fileName: z.string().max(255).default('Pasted text').describe('Shown to people'),
    text: z.string().min(1).describe('The file itself'),
  })
  .meta({ id: 'ImportText', description: 'A small file as text' });

export const ImportForm = z
  .strictObject({
    ...fields,
    file: z
      .string()
      .meta({ format: 'binary', description: 'A CSV or JSON file in UTF-8. Comes after the other fields' }),
  })
  .meta({ id: 'ImportForm', description: 'A file to read' });

const Step = z.object({
  import: Import,
  next: z.int().optional().describe('Send it as `after` to continue; absent when all is done'),
});

const ScheduleStep = Step.extend({
  asked: z.int().describe('Drafts of this step that became requests, because you may not publish'),
});

const StayedPost = z
  .object({
    ...Post.pick({ id: true, status: true }).shape,
    text: z.string().describe('The beginning of its text'),
  })
  .meta({ id: 'StayedPost', description: 'A post that is no longer a draft' });

const After = z.int().min(0).default(0).describe('`next` of the answer before; 0 begins at the first row');

const route = { tag: 'Transfer' } as const;

export const transferRoutes = {
  checkImport: appRoute({
    ...route,
    method: 'POST',
    path: '/api/app/imports',
    summary: 'Try an import',
    description:
      'Reads a file and says row by row what would become of it. No post is saved, and no file is fetched. At most 10,000 rows and 32 MiB as multipart/form-data; a small file may also come as JSON.',
    roles: editors,
    body: ImportText,
    form: ImportForm,
    answer: Import,
  }),

  listImports: appRoute({
    ...route,
    method: 'GET',
    path: '/api/app/imports',
    summary: 'List imports',
    description:
      'The last twenty, newest first. One of which nothing was saved is deleted after 7 days, others after 90.',
    roles: editors,
    answer: z.object({ imports: z.array(Import).describe('The newest first') }),
  }),

  getImport: appRoute({
    ...route,
    method: 'GET',
    path: '/api/app/imports/:id',
    summary: 'Read an import',
    description: 'With the counts of its rows.',
    roles: editors,
    params: byId('Import id'),
    answer: Import,
    more: ['NotFound'],
  }),

  listImportRows: appRoute({
    ...route,
    method: 'GET',
    path: '/api/app/imports/:id/rows',
    summary: 'List the rows of an import',
    description: 'In the order of the file, 100 at a time.',
    roles: editors,
    params: byId('Import id'),
    query: z.strictObject({
      show: z.enum(['all', 'problems']).default('all').describe('problems: rows with remarks, and rows that failed'),
      after: z
        .string()
        .regex(/^\d{1,9}$/)
        .default('0')
        .describe('`next` of the page before'),
    }),
    answer: z.object({
      rows: z.array(ImportRow).describe('In the order of the file, at most 100'),
      next: z.int().optional().describe('Send it as `after` for the next page; absent on the last'),
    }),
    more: ['NotFound'],
  }),

  saveImport: appRoute({
    ...route,
    method: 'POST',
    path: '/api/app/imports/:id/save',
    summary: 'Save rows as drafts',
    description:
      'Saves as many rows as fit into a second, each with its files, and says where to continue. A row is saved whole or not at all; saving again saves only what is not saved yet.',
    roles: editors,
    params: byId('Import id'),
    body: z.strictObject({
      after: After,
      unmatched: z.boolean().default(false).describe('Save rows without the accounts that are not connected here'),
      duplicates: z.boolean().default(false).describe('Save rows again that were imported already'),
    }),
    answer: Step,
    more: ['NotFound'],
  }),

  scheduleImport: appRoute({
    ...route,
    method: 'POST',
    path: '/api/app/imports/:id/schedule',
    summary: 'Schedule the saved drafts',
    description:
      'Schedules drafts of this import for their suggested times, as many as fit into a second. The rules are those of posts.schedule; a draft that breaks one stays a draft and its row says why.',
    roles: editors,
    params: byId('Import id'),
    body: z.strictObject({ after: After }),
    answer: ScheduleStep,
    more: ['NotFound'],
  }),

  undoImport: appRoute({
    ...route,
    method: 'POST',
    path: '/api/app/imports/:id/undo',
    summary: 'Undo an import',
    description:
      'Moves the drafts of this import to the bin, as many as fit into a second, and says where to continue. Posts that are no longer drafts stay as they are, and the last answer names them. The rows can be saved again.',
    roles: editors,
    params: byId('Import id'),
    body: z.strictObject({ after: After }),
    answer: Step.extend({
      stayed: z.array(StayedPost).describe('Posts that are no longer drafts, at most 100; empty before the last step'),
    }),
    more: ['NotFound'],
  }),

  deleteImport: appRoute({
    ...route,
    method: 'DELETE',
    path: '/api/app/imports/:id',
    summary: 'Forget an import',
    description: 'What was saved stays. The same file can then be saved a second time.',
    roles: editors,
    params: byId('Import id'),
    answer: Deleted,
    more: ['NotFound'],
  }),

  countExport: appRoute({
    ...route,
    method: 'GET',
    path: '/api/app/export/count',
    summary: 'Count the posts of an export',
    description: 'How many posts are in the range.',
    roles: everyone,
    query: z.strictObject(ExportRange),
    answer: z.object({ posts: z.int().describe('How many have a time in the range') }),
  }),
} as const satisfies Record<string, Route>;
export type TransferRoutes = typeof transferRoutes;

export const transferPaths = {
  exportPosts: rawRoute({
    methods: ['GET'],
    path: '/api/app/export',
    access: 'Session',
    roles: everyone,
    handler: 'Own',
    description: 'Posts with results and statistics as one stream.',
  }),
} as const satisfies Record<string, RawRoute>;
