import {
  CircleCheck,
  CircleDashed,
  CircleHelp,
  CircleX,
  Clock,
  LoaderCircle,
  type LucideIcon,
  Stamp,
} from 'lucide-react';
import type { Post } from '#packages/sdk/src/generated/types';
import styles from './state-chip.module.css';

export type State = 'Draft' | 'Scheduled' | 'Publishing' | 'Published' | 'Failed' | 'Uncertain' | 'Waiting';

const states: Record<State, { icon: LucideIcon; tone: string; word: string }> = {
  Draft: { icon: CircleDashed, tone: 'grey', word: 'Draft' },
  Scheduled: { icon: Clock, tone: 'blue', word: 'Scheduled' },
  Publishing: { icon: LoaderCircle, tone: 'brass', word: 'Publishing' },
  Published: { icon: CircleCheck, tone: 'green', word: 'Published' },
  Failed: { icon: CircleX, tone: 'red', word: 'Failed' },
  Uncertain: { icon: CircleHelp, tone: 'plum', word: 'Uncertain' },
  Waiting: { icon: Stamp, tone: 'brass', word: 'Waiting for you' },
};

/** `children` replaces the word: `Failed on 1 of 5`. */
export const StateChip = ({ state, children }: { state: State; children?: React.ReactNode }) => {
  const { icon: Icon, tone, word } = states[state];
  return (
    <span className={styles.chip} data-tone={tone} data-state={state}>
      <Icon size={13} aria-hidden="true" />
      {children ?? word}
    </span>
  );
};

/** The icon, with the word for screen readers. */
export const StateIcon = ({ state, size = 18 }: { state: State; size?: number }) => {
  const { icon: Icon, tone, word } = states[state];
  return (
    <span className={styles.icon} data-tone={tone} data-state={state}>
      <Icon size={size} strokeWidth={1.75} aria-hidden="true" />
      <span className="hidden">{word}</span>
    </span>
  );
};

export const Chip = ({
  tone,
  icon: Icon,
  children,
}: {
  tone: 'grey' | 'blue' | 'green' | 'red' | 'plum' | 'orange' | 'brass';
  icon: LucideIcon;
  children: React.ReactNode;
}) => (
  <span className={styles.chip} data-tone={tone}>
    <Icon size={13} aria-hidden="true" />
    {children}
  </span>
);

/** A post is Uncertain if all its failures are uncertain. */
export const stateOf = ({ status, results }: Pick<Post, 'status' | 'results'>): State => {
  const troubles = results.filter(({ ok }) => !ok);
  return status === 'Failed' && troubles.length > 0 && troubles.every(({ uncertain }) => uncertain)
    ? 'Uncertain'
    : status;
};

/** `Failed on 1 of 5`, or the plain word. */
export const PostStateChip = ({ post }: { post: Pick<Post, 'status' | 'results'> }) => {
  const state = stateOf(post);
  const troubles = post.results.filter(({ ok }) => !ok).length;
  const isPartial = (state === 'Failed' || state === 'Uncertain') && troubles < post.results.length;
  return (
    <StateChip state={state}>{isPartial ? `${state} on ${troubles} of ${post.results.length}` : undefined}</StateChip>
  );
};
