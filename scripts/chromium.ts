import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

/** The shell first: a browser without windows of its own leaves the machine to the pages. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** `CHROMIUM_PATH`, Playwright's own, or the one on the PATH: the browser that is there. */
export const findChromium = (): string | undefined => {
  const { CHROMIUM_PATH, PATH = '' } = process.env;
  const onPath = PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  return [CHROMIUM_PATH, ownOfPlaywright(), ...onPath].find((path) => path && existsSync(path));
};

const ownOfPlaywright = () => {
  try {
    return chromium.executablePath();
  } catch {
    return undefined;
  }
};
