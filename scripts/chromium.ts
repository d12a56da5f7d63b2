import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

/** The headless shell first, because it needs the least resources. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The first that exists: `CHROMIUM_PATH`, Playwright's own browser, or one on the PATH. */
export const findChromium = (): string | undefined => {
  const { CHROMIUM_PATH, PATH = '' } = process.env;
  const onPath = PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  return [CHROMIUM_PATH, playwrightChromium(), ...onPath].find((path) => path && existsSync(path));
};

const playwrightChromium = () => {
  try {
    return chromium.executablePath();
  } catch {
    return undefined;
  }
};
