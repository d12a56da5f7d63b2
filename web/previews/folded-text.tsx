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
  /** Label of the button that opens the rest: `Show more`. */
  more: string;
  /** Before the text, in the same line: the name of the account. */
  lead?: React.ReactNode;
  /** Links are plain text on this network; mentions and tags are not. */
  hasPlainLinks?: boolean;
  /** Links are shown without `https://`. */
  hidesScheme?: boolean;
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

const CutByCharacters = ({ post, text, more, lead, hasPlainLinks, hidesScheme, fold }: Props & { fold: Fold }) => {
  const [isOpen, setIsOpen] = useState(false);
  const { shown, rest } = foldText(post.limits.characters, text);
  return (
    <p className={styles.text} dir="auto">
      {lead}
      {lead !== undefined && ' '}
      <Words text={isOpen ? shown : shown.trimEnd()} hasPlainLinks={hasPlainLinks} hidesScheme={hidesScheme} />
      {isOpen && rest !== '' && (
        <>
          <Mark fold={fold} />
          <Words text={rest} hasPlainLinks={hasPlainLinks} hidesScheme={hidesScheme} />{' '}
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

/**
 * Only the browser knows where lines break, so this measures the rendered text. The button covers the end of the last
 * visible line and begins between two letters.
 */
const CutByLines = ({ text, more, lead, hasPlainLinks, hidesScheme, fold }: Props & { fold: Fold }) => {
  const [isOpen, setIsOpen] = useState(false);
  const paragraph = useRef<HTMLParagraphElement>(null);
  const tail = useRef<HTMLSpanElement>(null);
  const [isCut, setIsCut] = useState(false);
  const [cutAt, setCutAt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text may need more lines
  useEffect(() => {
    const element = paragraph.current;
    if (element === null || isOpen) return;
    const measure = () => {
      setIsCut(element.scrollHeight > element.clientHeight + 1);
      if (tail.current) setCutAt(endOfLine(element, fold.at, widthOf(tail.current)));
    };
    measure();
    // Letter widths change when the web font has loaded.
    void document.fonts.ready.then(measure);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [isOpen, text, isCut]);
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
        <Words text={text} hasPlainLinks={hasPlainLinks} hidesScheme={hidesScheme} />
      </p>
      {isCut && (
        <span ref={tail} className={styles.tail} data-open={isOpen || undefined} style={{ insetInlineStart: cutAt }}>
          {!isOpen && !more.startsWith('…') && '… '}
          <More isOpen={isOpen} more={more} onToggle={() => setIsOpen(!isOpen)} />
          <Mark fold={fold} />
        </span>
      )}
    </div>
  );
};

const widthOf = (element: HTMLElement) => {
  const range = document.createRange();
  range.selectNodeContents(element);
  return range.getBoundingClientRect().width;
};

/** Where to cut the last visible line, in px from its start, so that `room` px stay free after the text. */
const endOfLine = (element: HTMLElement, lines: number, room: number): number => {
  const box = element.getBoundingClientRect();
  const lineTop = box.bottom - box.height / lines;
  const isRightToLeft = getComputedStyle(element).direction === 'rtl';
  const range = document.createRange();
  const nodes = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let end = 0;
  while (nodes.nextNode()) {
    const { data } = nodes.currentNode as Text;
    for (let at = 0; at < data.length; at++) {
      range.setStart(nodes.currentNode, at);
      range.setEnd(nodes.currentNode, at + 1);
      const { top, left, right, width, height } = range.getBoundingClientRect();
      if (top + height / 2 > box.bottom) return end;
      const reach = isRightToLeft ? box.right - left : right - box.left;
      const isLetter = width > 0 && (data[at] ?? '').trim() !== '';
      if (isLetter && top + height / 2 > lineTop && reach <= box.width - room) end = Math.max(end, reach);
    }
  }
  return end;
};

const More = ({ isOpen, more, onToggle }: { isOpen: boolean; more: string; onToggle: () => void }) => (
  <button type="button" className={styles.more} aria-expanded={isOpen} onClick={onToggle}>
    {isOpen ? 'less' : more}
  </button>
);

/** Hidden from screen readers, because the caption says the same in words. */
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
export const Words = ({
  text,
  hasPlainLinks = false,
  hidesScheme = false,
}: {
  text: string;
  hasPlainLinks?: boolean | undefined;
  hidesScheme?: boolean | undefined;
}) =>
  text.split(link).map((piece, index) =>
    index % 2 === 1 && !(hasPlainLinks && /^[^@#]/.test(piece)) ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no id and never reorder
      <span key={index} className={styles.link}>
        {hidesScheme ? <WithoutScheme link={piece} /> : piece}
      </span>
    ) : (
      piece
    ),
  );

/** Screen readers and copies keep the whole link, as on Mastodon. */
const WithoutScheme = ({ link }: { link: string }) => {
  const [scheme = ''] = /^https?:\/\//i.exec(link) ?? [];
  return (
    <>
      {scheme && <span className={styles.scheme}>{scheme}</span>}
      {link.slice(scheme.length)}
    </>
  );
};
