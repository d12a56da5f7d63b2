import { textBounds } from '#contracts/bounds';

const MiB = 1024 * 1024;

/**
 * Upper bounds for one request. No input within them blocks the event loop for 50 ms; a test sends the largest of each
 * to every entry point.
 */
export const bounds = {
  ...textBounds,

  /** A JSON body: its size, nesting depth, and total number of fields and array entries. */
  bodyBytes: MiB,
  bodyDepth: 32,
  bodyValues: 20_000,
  /** How long a body that is not a file may take to arrive. */
  bodyTimeoutMs: 60_000,

  /** In one response: issues of an input, broken limits of a post, and bytes of one page of a list. */
  issues: 100,
  brokenLimits: 1_000,
  pageBytes: MiB,
  /** Details of one entry of the audit log. */
  auditBytes: 4_096,

  /** Per workspace: cards waiting for a decision, and invitations that can still be accepted. */
  openCards: 200,
  openInvitations: 200,
  /** Per person: tokens in all workspaces, workspaces they own, and open event streams on one instance. */
  tokens: 200,
  workspaces: 100,
  eventStreams: 100,

  /** Per post: text revisions in its history (and equally many other entries), and the total bytes of those texts. */
  revisions: 100,
  revisionBytes: 4 * MiB,
  comments: 500,
  /** Entries that people without an account write on one review link. */
  advicePerShare: 50,
  /** Active review links per post. */
  shares: 20,
  /** Per workspace, except `labelsPerPost`. */
  slots: 50,
  labels: 200,
  labelsPerPost: 20,
  templates: 100,
  /** Days of slots in one response. */
  slotDays: 62,

  imagePixels: 100_000_000,
  /** Pixels decoded at the same time in all images. A larger image is decoded alone. */
  concurrentPixels: 50_000_000,
  /**
   * Addresses that one call fetches into the library: how many, how many at once, and how long for all of them, since
   * callers wait 30 seconds for an answer.
   */
  addresses: 20,
  concurrentAddresses: 4,
  addressesMs: 25_000,
  /** How long an upload address works. */
  uploadAddressMs: 15 * 60_000,
  /**
   * An upload by the tus protocol: how long it may be idle, how many may be open in a workspace, the bytes of a part
   * (what a killed process loses) and their number, and how long a request waits for the finished file.
   */
  resumableUploadMs: 24 * 3_600_000,
  openUploads: 32,
  uploadPartBytes: 8 * MiB,
  uploadParts: 2_000,
  uploadWaitMs: 20_000,
  /** Small pictures in one response to an agent. */
  shownPictures: 10,
  /** LinkedIn's limit; no other network accepts documents. */
  documentBytes: 100 * 1024 * 1024,
  /** Images that one request fits to networks; the rest wait for the next request. */
  fittedFiles: 100,
  /** Videos of a workspace that wait to be converted. */
  videoFits: 500,
  /**
   * One conversion of a video: how long at most, how long for its start and for each second of it, with how much memory,
   * and into how large a file. `videoPixels` is the largest frame.
   */
  videoFitMs: 30 * 60_000,
  videoFitStartMs: 2 * 60_000,
  videoFitMsPerSecond: 30_000,
  videoFitMemoryBytes: 3 * 1024 * MiB,
  videoPixels: 8_192 * 4_320,
  videoFitBytes: 2_000 * MiB,
  /** Thumbnails of videos: how many are made at once, how long an upload waits for its turn, and the bounds of each. */
  videoThumbnails: 2,
  videoThumbnailWaitMs: 20_000,
  videoThumbnailMs: 10_000,
  videoThumbnailMemoryBytes: 512 * MiB,
  /** HEIC pictures are decoded in a separate process; this is the only limit on its memory. */
  heicPixels: 50_000_000,
  /** Segments or chunks of one image. */
  imageParts: 100_000,
  /** Boxes or elements that are parsed in one video. */
  videoParts: 20_000,
  /** Parts of a multipart form, and the headers of one of them. */
  formParts: 20,
  formHeaders: 10,
  formHeaderBytes: 8 * 1024,
  formFieldBytes: 64 * 1024,

  /** An imported file: its size, its rows, the characters of one row, and its columns. */
  importBytes: 32 * MiB,
  importRows: 10_000,
  importRowCharacters: MiB,
  importColumns: 100,
  /** How long one request saves or schedules rows before it returns the row to continue from. */
  importStepMs: 1_000,
  /** How long one request changes posts in bulk before it returns what is done. */
  bulkStepMs: 1_000,
  /** Posts that an export reads per page. `pageBytes` limits the page too. */
  exportPage: 200,

  /** How long synchronous work may run before it yields to the event loop. */
  yieldAfterMs: 10,
} as const;
