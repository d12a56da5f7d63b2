import { closeSync, fstatSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

const largestBytes = 20_000_000;
const kept = 5;
/** How soon a process notices that another one has moved the file. */
const lookEveryMs = 1_000;

/** Lines into a file that is moved aside when it is large. Several processes may share it. */
export const openLogFile = (path: string, { bytes: most = largestBytes }: { bytes?: number } = {}) => {
  mkdirSync(dirname(path), { recursive: true });
  let file = openSync(path, 'a', 0o600);
  let lookedAt = performance.now();

  const reopen = () => {
    closeSync(file);
    file = openSync(path, 'a', 0o600);
  };

  const moveAside = () => {
    for (let number = kept; number > 0; number--) {
      const from = number === 1 ? path : `${path}.${number - 1}`;
      if (statSync(from, { throwIfNoEntry: false })) renameSync(from, `${path}.${number}`);
    }
    reopen();
  };

  const look = () => {
    lookedAt = performance.now();
    if (statSync(path, { throwIfNoEntry: false })?.ino !== fstatSync(file).ino) reopen();
    if (fstatSync(file).size >= most) moveAside();
  };

  return {
    write: (line: string) => {
      // A full disk stops no request.
      try {
        if (performance.now() - lookedAt > lookEveryMs) look();
        writeSync(file, line);
      } catch {}
    },
    look,
  };
};

/** The newest first. */
export const logFiles = (path: string) =>
  [path, ...Array.from({ length: 9 }, (_, index) => `${path}.${index + 1}`)]
    .flatMap((name) => [name, `${name}.gz`])
    .filter((name) => statSync(name, { throwIfNoEntry: false }) !== undefined);
