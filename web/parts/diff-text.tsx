import { useMemo } from 'react';
import { wordDiff } from './word-diff.ts';

/** What is gone is struck through, what is new is bold: colour is never alone. */
export const DiffText = ({
  before,
  after,
  className,
}: {
  before: string;
  after: string;
  className?: string | undefined;
}) => {
  const pieces = useMemo(() => wordDiff(before, after), [before, after]);
  return (
    <p className={className} dir="auto">
      {pieces.map(({ kind, text }, index) => {
        const key = `${index} ${kind}`;
        if (kind === 'same') return <span key={key}>{text}</span>;
        const Tag = kind === 'gone' ? 'del' : 'ins';
        const words = text.trimEnd();
        return (
          <span key={key}>
            <Tag>{words}</Tag>
            {/* What takes its place needs a space of its own. */}
            {text.slice(words.length) || (kind === 'gone' && ' ')}
          </span>
        );
      })}
    </p>
  );
};
