import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { Check, Copy } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import styles from './copy.module.css';
import { showToast } from './toasts.tsx';

/** Without https there is no navigator.clipboard, so copy from a hidden field. */
const copyText = async (text: string) => {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'hidden';
  document.body.append(field);
  field.select();
  const isDone = document.execCommand('copy');
  field.remove();
  if (!isDone) throw new Error('The browser did not copy it.');
};

const useCopied = (value: string) => {
  const [isCopied, setIsCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    try {
      await copyText(value);
    } catch {
      showToast({ tone: 'red', text: 'Not copied. Select it and copy it yourself.' });
      return;
    }
    setIsCopied(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setIsCopied(false), 2000);
  };
  return { isCopied, copy };
};

/** An icon button, or a text button with `children`. */
export const CopyButton = ({
  value,
  label = 'Copy',
  size = 28,
  children,
}: {
  value: string;
  label?: string;
  size?: number;
  children?: React.ReactNode;
}) => {
  const { isCopied, copy } = useCopied(value);
  const Icon = isCopied ? Check : Copy;
  const announcement = (
    <span className="hidden" role="status">
      {isCopied ? 'Copied' : ''}
    </span>
  );
  if (children !== undefined) {
    return (
      <>
        <Button size="xs" leftSection={<Icon size={14} aria-hidden="true" />} onClick={copy}>
          {isCopied ? 'Copied' : children}
        </Button>
        {announcement}
      </>
    );
  }
  return (
    <>
      <Tooltip label={isCopied ? 'Copied' : label}>
        <ActionIcon size={size} aria-label={label} onClick={copy}>
          <Icon size={14} aria-hidden="true" />
        </ActionIcon>
      </Tooltip>
      {announcement}
    </>
  );
};

/** `block` keeps line breaks. */
export const CopyField = ({ value, label, block = false }: { value: string; label: string; block?: boolean }) => (
  <div className={styles.field} data-block={block || undefined}>
    {block ? (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller must be reachable by keyboard
      <section className={styles.value} tabIndex={0} aria-label={label}>
        <pre>{value}</pre>
      </section>
    ) : (
      <code className={`one-line ${styles.value}`} title={value}>
        {value}
      </code>
    )}
    <CopyButton value={value} label={`Copy ${label}`} />
  </div>
);
