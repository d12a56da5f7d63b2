import type { FileHandle } from 'node:fs/promises';
import { BadFile } from './file-type.ts';

export const damaged = () => new BadFile('Unreadable', 'is a damaged or incomplete video: save it again');

export const noPicture = () => new BadFile('MediaType', 'holds no video');

export const readAt = async (file: FileHandle, position: number, length: number): Promise<Buffer> => {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
};
