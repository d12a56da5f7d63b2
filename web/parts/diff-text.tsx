import { useMemo } from 'react';
import { wordDiff } from './word-diff.ts';

/** Removed text is struck through and added text is bold: colour alone is not accessible. */
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
            {/* Separate the removed word from its replacement. */}
            {text.slice(words.length) || (kind === 'gone' && ' ')}
          </span>
        );
      })}
    </p>
  );
};
