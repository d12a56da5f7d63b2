import { Scissors } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Constraints } from '#generated/app-client';
import { foldText } from '#server/networks/fold';
import type { PreviewPost } from './model.ts';
import styles from './text.module.css';

type Fold = NonNullable<Constraints['characters']['fold']>;

interface Props {
  post: PreviewPost;
  text: string;
  /** What opens the rest: `Show more`. */
  more: string;
  /** Before the text, in the same line: the name of the account. */
  lead?: React.ReactNode;
  /** Links are plain text on this network; mentions and tags are not. */
  hasPlainLinks?: boolean;
}

/** A text as its readers see it: cut where the network cuts, with a button that opens the rest in place. */
export const FoldedText = (props: Props) => {
  const { post, text, lead } = props;
  const { fold } = post.limits.characters;
  if (text.trim() === '') {
    return lead === undefined ? <p className="text-3">Nothing written yet</p> : null;
  }
  if (fold === undefined) {
    return (
      <p className={styles.text} dir="auto">
        {lead}
        {lead !== undefined && ' '}
        <Words {...props} />
      </p>
    );
  }
  return fold.unit === 'Lines' ? <CutByLines {...props} fold={fold} /> : <CutByCharacters {...props} fold={fold} />;
};

const CutByCharacters = ({ post, text, more, lead, hasPlainLinks, fold }: Props & { fold: Fold }) => {
  const [isOpen, setIsOpen] = useState(false);
  const { shown, rest } = foldText(post.limits.characters, text);
  return (
    <p className={styles.text} dir="auto">
      {lead}
      {lead !== undefined && ' '}
      <Words text={shown} hasPlainLinks={hasPlainLinks} />
      {isOpen && rest !== '' && (
        <>
          <Mark fold={fold} />
          <Words text={rest} hasPlainLinks={hasPlainLinks} />{' '}
        </>
      )}
      {rest !== '' && (
        <>
          {!isOpen && !more.startsWith('…') && '… '}
          <More isOpen={isOpen} more={more} onToggle={() => setIsOpen(!isOpen)} />
          {!isOpen && <Mark fold={fold} />}
        </>
      )}
    </p>
  );
};

/** Only the browser knows where a line ends. The button covers the end of the last one, as it does on these networks. */
const CutByLines = ({ text, more, lead, hasPlainLinks, fold }: Props & { fold: Fold }) => {
  const [isOpen, setIsOpen] = useState(false);
  const paragraph = useRef<HTMLParagraphElement>(null);
  const [isCut, setIsCut] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text may need more lines
  useEffect(() => {
    const element = paragraph.current;
    if (element === null || isOpen) return;
    const measure = () => setIsCut(element.scrollHeight > element.clientHeight + 1);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [isOpen, text]);
  return (
    <div className={styles.clamped} dir="auto">
      <p
        ref={paragraph}
        className={styles.text}
        data-clamp={!isOpen || undefined}
        style={{ '--lines': fold.at } as React.CSSProperties}
      >
        {lead}
        {lead !== undefined && ' '}
        <Words text={text} hasPlainLinks={hasPlainLinks} />
      </p>
      {isCut && (
        <span className={styles.tail} data-open={isOpen || undefined}>
          {!isOpen && !more.startsWith('…') && '… '}
          <More isOpen={isOpen} more={more} onToggle={() => setIsOpen(!isOpen)} />
          <Mark fold={fold} />
        </span>
      )}
    </div>
  );
};

const More = ({ isOpen, more, onToggle }: { isOpen: boolean; more: string; onToggle: () => void }) => (
  <button type="button" className={styles.more} aria-expanded={isOpen} onClick={onToggle}>
    {isOpen ? 'less' : more}
  </button>
);

/** The caption says the same in words. */
const Mark = ({ fold: { at, unit, isObserved } }: { fold: Fold }) => (
  <span className={styles.mark} aria-hidden="true" dir="ltr">
    <Scissors size={11} />
    {isObserved && 'about '}
    {at}
    {unit === 'Lines' && ' lines'}
  </span>
);

const link =
  /(https?:\/\/\S+|(?<![\w@.-])(?:[a-z0-9-]+\.)+[a-z]{2,}(?:\/\S*)?|(?<![\w@#])[@#][\p{L}\p{N}_][\p{L}\p{N}_.@-]*)/giu;

/** Highlights links, mentions and tags; no markup is interpreted. */
export const Words = ({ text, hasPlainLinks = false }: { text: string; hasPlainLinks?: boolean | undefined }) =>
  text.split(link).map((piece, index) =>
    index % 2 === 1 && !(hasPlainLinks && /^[^@#]/.test(piece)) ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no id and never reorder
      <span key={index} className={styles.link}>
        {piece}
      </span>
    ) : (
      piece
    ),
  );
