import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bounds } from '#server/base/bounds';
import { createSemaphore } from '#server/base/jobs/semaphore';
import { type EndReason, type ProcessEnd, runBounded, searchPath } from './bounded-process.ts';

/** Properties of a file, as ffprobe reports them. */
export interface Probe {
  readonly videoCodec: string;
  readonly pixelFormat: string;
  readonly width: number;
  readonly height: number;
  /** Frames per second, on average; 0 when unknown. */
  readonly frameRate: number;
  /** Absent without sound. */
  readonly audioCodec?: string;
  /** 0 when unknown. */
  readonly durationMs: number;
  /** Duration of the video stream only; 0 when unknown. */
  readonly videoMs: number;
}

/** Why a conversion may succeed on a retry. */
type TroubleReason = EndReason | 'DiskFull';

/** A failure that is not the fault of the file. */
export class FitTrouble extends Error {
  readonly why: TroubleReason;

  constructor(why: TroubleReason) {
    super(why === 'DiskFull' ? 'ffmpeg found no space left on the disk' : `ffmpeg or ffprobe was ended: ${why}`);
    this.why = why;
  }
}

/** By the type that our own sniffing found: ffmpeg must not guess, or it would open playlists and scripts. */
const demuxers: Readonly<Record<string, string>> = {
  'video/mp4': 'mov',
  'video/quicktime': 'mov',
  'video/webm': 'matroska',
  'image/gif': 'gif',
};

const retryAfterMs = 60_000;
const probeMs = 60_000;
const silentMs = 120_000;
const probeLimits = { timeMs: probeMs, silentMs, memoryBytes: bounds.videoFitMemoryBytes, fileBytes: 0 };
const thumbnailLimits = {
  timeMs: bounds.videoThumbnailMs,
  memoryBytes: bounds.videoThumbnailMemoryBytes,
  fileBytes: 0,
};
/** The header of a file can claim a small picture, so the decoder counts too. */
const decoderLimits = ['-max_pixels', String(bounds.videoPixels)];

export type Ffmpeg = ReturnType<typeof createFfmpeg>;

/**
 * The ffmpeg and ffprobe of this machine, if installed. They read only local files whose type our own sniffing
 * accepted, with the demuxer of that type.
 */
export const createFfmpeg = ({
  folder,
  limits = { timeMs: bounds.videoFitMs, memoryBytes: bounds.videoFitMemoryBytes, fileBytes: bounds.videoFitBytes },
}: {
  /** Empty: look in the usual folders. */
  folder: string;
  /** Limits of one conversion. */
  limits?: { readonly timeMs: number; readonly memoryBytes: number; readonly fileBytes: number };
}) => {
  const program = (name: string) => (folder === '' ? name : join(folder, name));
  let problem: string | undefined;
  let cached: { readonly version: Promise<string | undefined>; readonly at: number } | undefined;

  const readVersion = async (): Promise<string | undefined> => {
    const small = { timeMs: 10_000, fileBytes: 0, memoryBytes: bounds.videoFitMemoryBytes };
    const [encoders, version] = await Promise.all([
      runBounded(program('ffmpeg'), ['-hide_banner', '-encoders'], small),
      runBounded(program('ffprobe'), ['-version'], small),
    ]);
    problem = describeEnd('ffmpeg', encoders) ?? describeEnd('ffprobe', version);
    if (encoders.is !== 'done' || version.is !== 'done') return undefined;
    const names = encoders.output.toString('latin1');
    if (!/\blibx264\b/.test(names) || !/\baac\b/.test(names)) return undefined;
    return /version (\S+)/.exec(version.output.toString('latin1'))?.[1] ?? 'unknown';
  };

  const isInstalled = (name: string) =>
    (folder === '' ? searchPath.split(':') : [folder]).some((one) => existsSync(join(one, name)));

  /** Undefined when it ran, or is not there. */
  const describeEnd = (name: string, end: ProcessEnd) => {
    if (end.is === 'done' || !isInstalled(name)) return undefined;
    const why = end.is === 'failed' ? end.stderr.split('\n')[0]?.slice(0, 200) : new FitTrouble(end.why).message;
    return `${name} does not run: ${why || 'it ended with an error'}`;
  };

  /**
   * Undefined without ffmpeg, or if it was built without H.264. Then checks again after a minute, because ffmpeg may be
   * installed while we run.
   */
  const version = (): Promise<string | undefined> => {
    const now = performance.now();
    if (cached === undefined || now - cached.at > retryAfterMs) {
      const reading = readVersion().catch(() => undefined);
      cached = { version: reading, at: now };
      void reading.then((text) => {
        if (text !== undefined) cached = { version: reading, at: Number.POSITIVE_INFINITY };
      });
    }
    return cached.version;
  };

  const enterThumbnail = createSemaphore(bounds.videoThumbnails);

  const input = (path: string, mimeType: string) => {
    const demuxer = demuxers[mimeType];
    if (demuxer === undefined) throw new Error(`ffmpeg is not used for ${mimeType}`);
    return ['-protocol_whitelist', 'file,pipe', '-f', demuxer, '-i', `file:${path}`];
  };

  return {
    version,

    /** Why ffmpeg or ffprobe, which is installed, did not run for `version`. */
    problem: () => problem,

    /** Undefined when it cannot be read. */
    probe: async (path: string, mimeType: string): Promise<Probe | undefined> => {
      const entries = 'stream=codec_type,codec_name,pix_fmt,width,height,avg_frame_rate,duration:format=duration';
      const args = ['-v', 'error', '-show_entries', entries, '-of', 'json', ...input(path, mimeType)];
      const end = await runBounded(program('ffprobe'), args, probeLimits);
      if (end.is === 'ended') throw new FitTrouble(end.why);
      return end.is === 'done' ? readProbe(end.output) : undefined;
    },

    /** Reports a percentage of at most 99, and only if the duration is known. */
    convert: (
      {
        path,
        mimeType,
        before = [],
        args,
        output,
      }: {
        readonly path: string;
        readonly mimeType: string;
        /** Options of the input. */
        readonly before?: readonly string[];
        readonly args: readonly string[];
        readonly output: string;
      },
      {
        durationMs,
        onPercent,
        signal,
      }: {
        readonly durationMs: number;
        readonly onPercent: (percent: number) => void;
        readonly signal?: AbortSignal | undefined;
      },
    ): Promise<ProcessEnd> => {
      const all = [
        ...['-nostdin', '-hide_banner', '-v', 'error', '-nostats', '-progress', 'pipe:1', '-y'],
        ...['-threads', threads, '-filter_threads', '1', ...decoderLimits, ...before],
        ...input(path, mimeType),
        ...args,
        `file:${output}`,
      ];
      const onOutput = (text: string) => {
        const micros = /out_time_us=(\d+)/.exec(text)?.[1];
        if (micros !== undefined && durationMs > 0) {
          onPercent(Math.min(99, Math.floor(Number(micros) / 10 / durationMs)));
        }
      };
      const ms = bounds.videoFitStartMs + (durationMs / 1000) * bounds.videoFitMsPerSecond;
      const timeMs = durationMs > 0 ? Math.min(limits.timeMs, ms) : limits.timeMs;
      return runBounded(program('ffmpeg'), all, { ...limits, timeMs, silentMs }, { onOutput, signal });
    },

    /** The picture at this moment as PNG, for a thumbnail; undefined when there is none, or no turn for it in time. */
    frame: async (path: string, mimeType: string, atMs = 0): Promise<Buffer | undefined> => {
      const scale = `scale='min(${thumbnailPixels},iw)':-2`;
      const args = [
        ...['-nostdin', '-hide_banner', '-v', 'error', '-threads', '1', '-filter_threads', '1', ...decoderLimits],
        ...['-ss', String(atMs / 1000), ...input(path, mimeType)],
        // The encoder would start a thread for each core, with memory for each.
        ...['-frames:v', '1', '-vf', scale, '-c:v', 'png', '-threads', '1', '-f', 'image2pipe', 'pipe:1'],
      ];
      const turn = AbortSignal.timeout(bounds.videoThumbnailWaitMs);
      const leave = await enterThumbnail(turn).catch(() => undefined);
      if (leave === undefined) return undefined;
      try {
        const end = await runBounded(program('ffmpeg'), args, thumbnailLimits);
        return end.is === 'done' && end.output.length > 0 ? end.output : undefined;
      } finally {
        leave();
      }
    },
  };
};

/** Fixed: with another number of threads x264 encodes the same pictures to other bytes. */
export const threads = '2';
const thumbnailPixels = 800;

interface ProbedStream {
  readonly codec_type?: string;
  readonly codec_name?: string;
  readonly pix_fmt?: string;
  readonly width?: number;
  readonly height?: number;
  readonly avg_frame_rate?: string;
  readonly duration?: string;
}

const readProbe = (output: Buffer): Probe | undefined => {
  const { streams = [], format = {} } = JSON.parse(output.toString('utf8')) as {
    readonly streams?: readonly ProbedStream[];
    readonly format?: { readonly duration?: string };
  };
  const video = streams.find(({ codec_type }) => codec_type === 'video');
  const audio = streams.find(({ codec_type }) => codec_type === 'audio');
  if (video?.codec_name === undefined || !video.width || !video.height) return undefined;
  const [frames = 0, seconds = 0] = (video.avg_frame_rate ?? '').split('/').map(Number);
  return {
    videoCodec: video.codec_name,
    pixelFormat: video.pix_fmt ?? '',
    width: video.width,
    height: video.height,
    frameRate: seconds > 0 ? frames / seconds : 0,
    ...(audio?.codec_name !== undefined && { audioCodec: audio.codec_name }),
    durationMs: toMs(format.duration),
    videoMs: toMs(video.duration),
  };
};

const toMs = (seconds: string | undefined) => Math.round(Number(seconds ?? 0) * 1000) || 0;
