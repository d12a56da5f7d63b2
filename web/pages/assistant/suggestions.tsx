import { MessageCircle } from 'lucide-react';
import { usePermissions } from '#web/base/session.ts';
import { EmptyState } from '#web/parts/empty-state.tsx';
import styles from './assistant.module.css';

const forAll = ['How did last week go?', 'What are my best times to post?'];
const forWriters = 'Draft a post saying “We open at 7 on Saturday”';
const forReaders = 'What failed, and why?';

export const Suggestions = ({ model, onChoose }: { model: string | undefined; onChoose: (text: string) => void }) => {
  const { canWrite } = usePermissions();
  return (
    <EmptyState
      icon={MessageCircle}
      title="Ask about your posts and numbers"
      action={
        <ul className={styles.suggestions}>
          {[...forAll, canWrite ? forWriters : forReaders].map((text) => (
            <li key={text}>
              <button type="button" className={styles.suggestion} onClick={() => onChoose(text)}>
                {text}
              </button>
            </li>
          ))}
        </ul>
      }
    >
      {canWrite
        ? 'It reads, drafts and checks on its own. Before anything becomes public it asks you, on a card here.'
        : 'It reads what you may read.'}
      {model === undefined &&
        ' This server has no language model, so the built-in assistant understands only a few requests, such as these.'}
    </EmptyState>
  );
};
