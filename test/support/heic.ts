import { readFileSync } from 'node:fs';

/** 640 x 480, with a place in its EXIF data, as phones write it. */
export const heic = readFileSync(new URL('./horn.heic', import.meta.url));
