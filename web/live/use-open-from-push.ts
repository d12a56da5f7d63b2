import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ownPath } from '#web/base/own-path.ts';

/** Opens the page of a clicked push message in this tab. */
export const useOpenFromPush = () => {
  const navigate = useNavigate();
  useEffect(() => {
    const openPage = ({ data, ports: [worker] }: MessageEvent<{ open?: unknown }>) => {
      if (typeof data?.open !== 'string') return;
      worker?.postMessage('opens');
      void navigate({ href: ownPath(data.open) });
    };
    navigator.serviceWorker?.addEventListener('message', openPage);
    return () => navigator.serviceWorker?.removeEventListener('message', openPage);
  }, [navigate]);
};
