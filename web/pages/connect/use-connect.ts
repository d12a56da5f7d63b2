import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';

/** Starts connecting, then goes where the server says: to the network, a choice, or the accounts. */
export const useConnect = (network: string) => {
  const [fault, setFault] = useState<unknown>();
  const [isRunning, setIsRunning] = useState(false);
  const continueTo = useContinueTo();
  const begin = async (values: Record<string, string>) => {
    setIsRunning(true);
    setFault(undefined);
    try {
      const { next } = await app.beginConnection({ network, values });
      await continueTo(next);
    } catch (error) {
      setFault(error);
      setIsRunning(false);
    }
  };
  return { begin, fault, isRunning };
};

/**
 * Replaces the history entry, so that Back does not restart the connection. If the person has left the page, a late
 * answer does not navigate.
 */
export const useContinueTo = () => {
  const navigate = useNavigate();
  const client = useQueryClient();
  const isMounted = useRef(false);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  return async (next: string) => {
    const isOwnPage = next.startsWith('/');
    if (isOwnPage) void client.invalidateQueries({ queryKey: keys.accounts, refetchType: 'all' });
    if (!isMounted.current) return;
    if (isOwnPage) await navigate({ href: next, replace: true });
    else location.replace(next);
  };
};
