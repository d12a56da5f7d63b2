import { Link } from '@tanstack/react-router';
import { Fragment, memo } from 'react';
import styles from './answer.module.css';
import { blocksOf, type Inline } from './markdown.ts';

/** A small subset of Markdown; the rest is shown as text, and images are never loaded. */
export const AnswerText = memo(({ text }: { text: string }) => (
  <div className={styles.answer}>
    {blocksOf(text).map((block, index) => {
      const key = `${index} ${block.kind}`;
      if (block.kind === 'paragraph') {
        return (
          <p key={key} dir="auto">
            <Inlines parts={block.parts} />
          </p>
        );
      }
      const List = block.kind === 'numbers' ? 'ol' : 'ul';
      return (
        <List key={key} dir="auto">
          {block.items.map(({ depth, parts }, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines are only appended
            <li key={place} data-depth={depth}>
              <Inlines parts={parts} />
            </li>
          ))}
        </List>
      );
    })}
  </div>
));

const Inlines = ({ parts }: { parts: readonly Inline[] }) =>
  parts.map((part, index) => {
    const key = `${index} ${part.kind}`;
    if (part.kind === 'text') return <Fragment key={key}>{part.text}</Fragment>;
    if (part.kind === 'code') return <code key={key}>{part.text}</code>;
    if (part.kind === 'bold') {
      return (
        <strong key={key}>
          <Inlines parts={part.parts} />
        </strong>
      );
    }
    return part.host === undefined ? (
      <Link key={key} to={part.to as never}>
        {part.text}
      </Link>
    ) : (
      <a key={key} href={part.to} target="_blank" rel="noopener noreferrer nofollow">
        {part.text}
        {part.text !== part.host && <span className={styles.host}> ({part.host})</span>}
      </a>
    );
  });
