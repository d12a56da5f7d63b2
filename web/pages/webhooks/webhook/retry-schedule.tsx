import type { DeliveryDetails } from '#generated/app-client';
import styles from './webhook.module.css';

/** The retry schedule: one bar per attempt, with the delay before it. */
export const RetrySchedule = ({ delivery }: { delivery: DeliveryDetails }) => {
  const { attempts, state, ladderSeconds } = delivery;
  const toneOf = (rung: number) => {
    if (rung >= attempts) return state === 'sending' && rung === attempts ? 'now' : undefined;
    return state === 'delivered' && rung === attempts - 1 ? 'good' : 'bad';
  };
  return (
    <div>
      <p className="small text-2">
        {attempts === 0
          ? `Not tried yet, at most ${ladderSeconds.length} times`
          : `Attempt ${attempts} of ${ladderSeconds.length}`}
      </p>
      <div className={styles.ladder} aria-hidden="true">
        {ladderSeconds.map((seconds, rung) => (
          <span key={seconds}>
            <i data-tone={toneOf(rung)} />
            {formatDelay(seconds)}
          </span>
        ))}
      </div>
    </div>
  );
};

const formatDelay = (seconds: number) => {
  if (seconds === 0) return '0';
  return seconds < 3600 ? `${seconds / 60} m` : `${seconds / 3600} h`;
};
