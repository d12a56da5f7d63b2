import { useQuery } from '@tanstack/react-query';
import { minuteMs } from '#contracts/time';
import type { InstallationCheck } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { Banner } from '#web/parts/banner.tsx';
import { count } from '#web/parts/number.ts';

const useInstallation = () =>
  useQuery({
    queryKey: keys.installation,
    queryFn: ({ signal }) => app.readInstallation({ signal }),
    refetchInterval: minuteMs,
  }).data;

/** The checks of `posthorn doctor`, for the operator. */
export const useServerChecks = (): readonly InstallationCheck[] => useInstallation()?.checks ?? [];

/** Set for every user while sending is on hold after a restore. */
export const useHold = () => useInstallation()?.hold;

export const ServerChecks = ({ checks }: { checks: readonly InstallationCheck[] }) => {
  const [first, ...others] = checks;
  if (first === undefined) return null;
  return (
    <Banner
      tone="orange"
      title={
        others.length === 0 ? 'This server needs attention' : `${count(checks.length, 'thing')} need attention here`
      }
    >
      {checks.map(({ name, message }) => (
        <p key={`${name} ${message}`}>{message}</p>
      ))}
    </Banner>
  );
};
