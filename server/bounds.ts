import { textBounds } from '#contracts/bounds';

const MiB = 1024 * 1024;

/**
 * What one request may cost. Whatever is accepted within these holds the event loop for less than 50 ms; a test feeds
 * every door with the largest of each.
 */
export const bounds = {
  ...textBounds,

  /** A JSON body: its bytes, how deep it is nested, and how many fields and entries it has in all. */
  bodyBytes: MiB,
  bodyDepth: 32,
  bodyValues: 20_000,
  /** How long a body that is not a file may take to arrive. */
  bodyPatienceMs: 60_000,

  /** Of an answer: what is wrong with an input, the broken limits of a post, and the bytes of one page of a list. */
  issues: 100,
  brokenLimits: 1_000,
  pageBytes: MiB,
  /** Details of one entry of the audit log. */
  auditBytes: 4_096,

  /** In one workspace: cards that wait for a human, and invitations that can still be accepted. */
  openCards: 200,
  openInvitations: 200,
  /** Of one person: tokens in all workspaces, workspaces they own, and open streams of events on one instance. */
  tokens: 200,
  workspaces: 100,
  eventStreams: 100,

  /** Of one post: texts that its history keeps, and as many other entries; and bytes of these texts in all. */
  revisions: 100,
  revisionBytes: 4 * MiB,
  comments: 500,
  /** Addresses for review of one post that work at the same time. */
  shares: 20,
  /** Of one workspace, and the labels of one post. */
  slots: 50,
  labels: 200,
  labelsPerPost: 20,
  templates: 100,
  /** How many days of slots one answer shows. */
  slotDays: 62,

  /** One picture, and all that are decoded at the same time; a picture above that is decoded alone. */
  imagePixels: 100_000_000,
  /** What LinkedIn takes; nobody else takes documents. */
  documentBytes: 100 * 1024 * 1024,
  pixelsInUse: 50_000_000,
  /** Pictures that one request has fitted to networks; others wait for the next. */
  renditions: 100,
  /** Segments or chunks of one image. */
  imageParts: 100_000,
  /** Boxes or elements that are looked at in one video. */
  videoParts: 20_000,
  /** Parts of a multipart form, and the headers of one of them. */
  formParts: 20,
  formHeaders: 10,
  formHeaderBytes: 8 * 1024,
  formFieldBytes: 64 * 1024,

  /** A file that is imported: its bytes, its rows, and the characters of one row. */
  importBytes: 32 * MiB,
  importRows: 10_000,
  importRowCharacters: MiB,
  importColumns: 100,
  /** How long one request saves or schedules rows before it says where to go on. */
  importStepMs: 1_000,
  /** Posts of one page that an export reads. Its bytes end at pageBytes. */
  exportPage: 200,

  /** Synchronous work gives way to other requests this often. */
  turnMs: 10,
} as const;
