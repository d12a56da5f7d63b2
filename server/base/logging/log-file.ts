import { closeSync, fstatSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

const defaultMaxBytes = 20_000_000;
const maxRotatedFiles = 5;
/** How soon a process notices that another one has rotated the file. */
const checkEveryMs = 1_000;

/** Appends to a log file and rotates it by size. Several processes may share the file. */
export const openLogFile = (path: string, { bytes: maxBytes = defaultMaxBytes }: { bytes?: number } = {}) => {
  mkdirSync(dirname(path), { recursive: true });
  let file = openSync(path, 'a', 0o600);
  let checkedAtMs = performance.now();

  const reopen = () => {
    // Opened first: if that fails, `file` must not keep a closed descriptor, whose number the next socket gets.
    const reopened = openSync(path, 'a', 0o600);
    closeSync(file);
    file = reopened;
  };

  const rotate = () => {
    for (let number = maxRotatedFiles; number > 0; number--) {
      const from = number === 1 ? path : `${path}.${number - 1}`;
      if (statSync(from, { throwIfNoEntry: false })) renameSync(from, `${path}.${number}`);
    }
    reopen();
  };

  const rotateIfLarge = () => {
    checkedAtMs = performance.now();
    if (statSync(path, { throwIfNoEntry: false })?.ino !== fstatSync(file).ino) reopen();
    if (fstatSync(file).size >= maxBytes) rotate();
  };

  return {
    write: (line: string) => {
      // A full disk must not fail requests, and a file that cannot be rotated still accepts lines.
      try {
        if (performance.now() - checkedAtMs > checkEveryMs) rotateIfLarge();
      } catch {}
      try {
        writeSync(file, line);
      } catch {}
    },
    rotateIfLarge,
  };
};

/** The newest first. */
export const logFiles = (path: string) =>
  [path, ...Array.from({ length: 9 }, (_, index) => `${path}.${index + 1}`)]
    .flatMap((name) => [name, `${name}.gz`])
    .filter((name) => statSync(name, { throwIfNoEntry: false }) !== undefined);
