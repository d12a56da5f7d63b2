import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const isHere = ['ffmpeg', 'ffprobe'].every((program) => spawnSync(program, ['-version']).status === 0);
/** In CI it must be there; elsewhere what needs it is skipped. */
export const withoutFfmpeg = !isHere && process.env.FFMPEG_REQUIRED !== '1';
if (withoutFfmpeg) console.warn('No ffmpeg and ffprobe: the tests with videos are skipped. apt-get installs both.');

/** Not in this thread: a service that runs in it goes on answering. */
const run = async (program: string, args: readonly string[]) =>
  (await promisify(execFile)(program, args, { maxBuffer: 64 * 1024 * 1024 })).stdout;

const inFolder = async <T>(work: (folder: string) => Promise<T>): Promise<T> => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-clip-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** A video, made of what ffmpeg draws by itself. `name` says the container. `repeats` makes it longer at no cost. */
export const clip = (
  name: string,
  { size = '320x240', rate = 10, seconds = 3, repeats = 0, video = [] as string[], audio = [] as string[] } = {},
) =>
  inFolder(async (folder) => {
    const path = join(folder, name);
    const picture = ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${rate}:duration=${seconds}`];
    const tone = audio.length > 0 ? ['-f', 'lavfi', '-i', `sine=duration=${seconds}`] : [];
    await run('ffmpeg', ['-v', 'error', ...picture, ...tone, ...video, ...audio, '-y', path]);
    if (repeats === 0) return readFileSync(path);
    const long = join(folder, `long-${name}`);
    await run('ffmpeg', ['-v', 'error', '-stream_loop', String(repeats), '-i', path, '-c', 'copy', '-y', long]);
    return readFileSync(long);
  });

export const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
export const hevc = ['-c:v', 'libx265', '-preset', 'ultrafast', '-tag:v', 'hvc1', '-x265-params', 'log-level=error'];
export const vp8 = ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '1M'];
export const aac = ['-c:a', 'aac'];

/** What ffprobe says about a file. */
export const probe = (bytes: Buffer) =>
  inFolder(async (folder) => {
    const path = join(folder, 'file');
    writeFileSync(path, bytes);
    const entries = 'stream=codec_type,codec_name,width,height:format=duration';
    const output = await run('ffprobe', ['-v', 'error', '-show_entries', entries, '-of', 'json', path]);
    const { streams, format } = JSON.parse(output) as {
      streams: { codec_type: string; codec_name: string; width?: number; height?: number }[];
      format: { duration?: string };
    };
    const [video, audio] = ['video', 'audio'].map((type) => streams.find(({ codec_type }) => codec_type === type));
    return {
      video: video?.codec_name,
      audio: audio?.codec_name,
      width: video?.width ?? 0,
      height: video?.height ?? 0,
      seconds: Number(format.duration ?? 0),
      /** Its index stands before its pictures. */
      isFaststart: bytes.indexOf('moov') < bytes.indexOf('mdat'),
    };
  });

/** A folder for FFMPEG_PATH in which ffmpeg and ffprobe run these scripts first, then work as usual. */
export const ffmpegWith = (script: string, probeScript = '', thumbnailScript = '') => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-ffmpeg-'));
  const write = (name: string, body: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${body}\nexec /usr/bin/env ${name} "$@"\n`);
    chmodSync(join(folder, name), 0o755);
  };
  write('ffmpeg', `case "$*" in *-progress*) ${script} ;; *image2pipe*) ${thumbnailScript} ;; esac`);
  write('ffprobe', probeScript);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
};
