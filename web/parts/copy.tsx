import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { Check, Copy } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import styles from './copy.module.css';

/** Without https there is no navigator.clipboard, so copy from a hidden field. */
const copyText = async (text: string) => {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'hidden';
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
};

const useCopied = (value: string) => {
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    await copyText(value);
    setCopied(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setCopied(false), 2000);
  };
  return { copied, copy };
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
  const { copied, copy } = useCopied(value);
  const Icon = copied ? Check : Copy;
  const announcement = (
    <span className="hidden" role="status">
      {copied ? 'Copied' : ''}
    </span>
  );
  if (children !== undefined) {
    return (
      <>
        <Button size="xs" leftSection={<Icon size={14} aria-hidden="true" />} onClick={copy}>
          {copied ? 'Copied' : children}
        </Button>
        {announcement}
      </>
    );
  }
  return (
    <>
      <Tooltip label={copied ? 'Copied' : label}>
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
