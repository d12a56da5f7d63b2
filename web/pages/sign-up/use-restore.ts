import { useCallback, useEffect, useRef, useState } from 'react';
import type { UploadedBackup } from '#contracts/backups';
import { ConnectionError } from '#generated/app-client';
import { errorClasses } from '#packages/sdk/src/generated/errors';
import { errorFrom } from '#packages/sdk/src/posthorn-error';
import { sendFile } from '#packages/sdk/src/progress';
import { app } from '#web/base/api.ts';

const pollMs = 1_000;

interface Progress {
  readonly isRunning: boolean;
  readonly progress?: string;
  readonly problem?: string;
}

export type Restore = ReturnType<typeof useRestore>;

/** Upload, review, confirm, wait. The restore restarts the server, so requests may fail meanwhile. */
export const useRestore = (code: string) => {
  const [step, setStep] = useState<'choose' | 'upload' | 'look' | 'run'>('choose');
  const [file, setFile] = useState<File>();
  const [share, setShare] = useState(0);
  const [backup, setBackup] = useState<UploadedBackup>();
  const [keys, setKeys] = useState('');
  const [readFault, setReadFault] = useState<unknown>();
  const [fault, setFault] = useState<unknown>();
  const [problem, setProblem] = useState<string>();
  const [progress, setProgress] = useState<string>();
  const [isAsking, setIsAsking] = useState(false);
  const ticket = useRef('');
  const stop = useRef<AbortController>(undefined);

  /** A page that is opened during a restore waits for it too. */
  const read = useCallback(() => {
    setReadFault(undefined);
    app.readRestore().then((state) => {
      setProblem(state.problem);
      if (state.isRunning) setStep('run');
    }, setReadFault);
  }, []);
  useEffect(() => {
    read();
    return () => stop.current?.abort();
  }, [read]);

  useEffect(() => {
    if (step !== 'run') return;
    let timer: ReturnType<typeof setTimeout>;
    const poll = async () => {
      const state = await readProgress();
      if (state?.isRunning === false) {
        if (state.problem === undefined) return location.replace('/sign-in');
        setProblem(state.problem);
        return setStep('choose');
      }
      setProgress(state?.progress);
      timer = setTimeout(poll, pollMs);
    };
    timer = setTimeout(poll, pollMs);
    return () => clearTimeout(timer);
  }, [step]);

  const reset = () => {
    stop.current?.abort();
    setStep('choose');
    setFile(undefined);
    setBackup(undefined);
    setKeys('');
  };

  const upload = async (chosen: File) => {
    const aborting = new AbortController();
    const { signal } = aborting;
    stop.current = aborting;
    setFile(chosen);
    setShare(0);
    setFault(undefined);
    setProblem(undefined);
    setStep('upload');
    try {
      ({ ticket: ticket.current } = await app.prepareRestore({ bytes: chosen.size, code }));
      setBackup(await send(chosen, ticket.current, signal, setShare));
      setStep('look');
    } catch (error) {
      if (signal.aborted) return;
      setFault(error);
      setStep('choose');
    }
  };

  const begin = async () => {
    setIsAsking(true);
    setFault(undefined);
    try {
      await app.beginRestore({ ticket: ticket.current, keys });
      setStep('run');
    } catch (error) {
      setFault(error);
    }
    setIsAsking(false);
  };

  const state = { step, file, share, backup, keys, readFault, fault, problem, progress, isAsking };
  return { ...state, setKeys, read, upload, begin, reset };
};

const send = async (file: File, ticket: string, signal: AbortSignal, onShare: (share: number) => void) => {
  const init = { method: 'POST', signal, headers: { 'posthorn-ticket': ticket } };
  const response = await sendFile(
    '/api/auth/restore/file',
    init,
    file,
    ({ sent, total }) => onShare(sent / total),
    fetch,
  ).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new ConnectionError('no answer', { cause });
  });
  const body = await response.json().catch(() => undefined);
  if (!response.ok) throw errorFrom(errorClasses, response, body);
  return body as UploadedBackup;
};

/** Uses fetch, because the app client would report that the server is unreachable. */
const readProgress = async (): Promise<Progress | undefined> => {
  const response = await fetch('/api/auth/restore').catch(() => undefined);
  return response?.ok ? response.json().catch(() => undefined) : undefined;
};
