import { Tooltip } from '@mantine/core';
import { Avatar } from '#web/parts/avatar.tsx';
import { joinWithAnd } from '#web/parts/join-names.ts';
import styles from './open-by.module.css';
import { usePresence } from './use-presence.ts';

const maxAvatars = 3;

/** Who else has the post open now. */
export const OpenBy = ({ postId }: { postId: string }) => {
  const people = usePresence(postId);
  const names = joinWithAnd(people.map(({ name }) => name));
  const sentence = people.length === 0 ? '' : `${names} ${people.length === 1 ? 'has' : 'have'} this post open too`;
  return (
    <span className={styles.people} role="status">
      <span className="hidden">{sentence}</span>
      <Tooltip label={sentence} disabled={people.length === 0}>
        <span className={styles.avatars} aria-hidden="true">
          {people.slice(0, maxAvatars).map(({ id, name }) => (
            <Avatar key={id} name={name} size={26} />
          ))}
          {people.length > maxAvatars && <span className={styles.more}>+{people.length - maxAvatars}</span>}
        </span>
      </Tooltip>
    </span>
  );
};
